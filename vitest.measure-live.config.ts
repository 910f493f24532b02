import { defineConfig, mergeConfig } from "vitest/config";
import base from "./vitest.live.config.ts";
export default mergeConfig(base, defineConfig({ test: { setupFiles: ["/tmp/m/measure.ts"], maxConcurrency: Number(process.env.MC ?? 3) } }));
