/** What monoco wrote into people's own files, with their bytes of before: what takes it out again. */
import { z } from "zod";

const base64 = z.string();

export const installedSchema = z.object({
  v: z.literal(1),
  files: z.array(
    z.object({
      path: z.string(),
      /** Its bytes before; none where there was no file. */
      before: base64.optional(),
      /** Hash of what was written. */
      after: z.string(),
    }),
  ),
  /** Folders that were made for them. */
  folders: z.array(z.string()),
});

export type Installed = z.infer<typeof installedSchema>;
export type InstalledFile = Installed["files"][number];
