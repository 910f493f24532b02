/** Fields that reasons of several subjects have in common. */
import { z } from "zod";

export const count = z.number().int().nonnegative();
export const ordinal = z.number().int().positive();
