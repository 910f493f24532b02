/** The record of files of people that monoco changed, with their earlier bytes, so that the change can be undone. */
import { z } from "zod";

const base64 = z.string();

export const installedSchema = z.object({
  v: z.literal(1),
  files: z.array(
    z.object({
      path: z.string(),
      /** The file's earlier bytes; left out if it did not exist. */
      before: base64.optional(),
      /** The hash of the written file. */
      after: z.string(),
    }),
  ),
  /** Folders that were created for the files. */
  folders: z.array(z.string()),
});

export type Installed = z.infer<typeof installedSchema>;
export type InstalledFile = Installed["files"][number];
