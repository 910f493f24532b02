/** What monoco says, in Chinese: all entries, by their English. Each area has a file. */
import type { Catalogue } from "../../core/text/say.ts";
import views from "./views.json" with { type: "json" };

export const catalogue: Catalogue = { ...views };
