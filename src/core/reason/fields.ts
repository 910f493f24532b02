/** Fields common to reasons of several subjects. */
import { z } from "zod";

export const count = z.number().int().nonnegative();
export const ordinal = z.number().int().positive();
