/** monoco's texts in Chinese, by their English; each area has a file. */
import type { Catalogue } from "../../core/language/translate.ts";
import ci from "./ci.json" with { type: "json" };
import commands from "./commands.json" with { type: "json" };
import doctor from "./doctor.json" with { type: "json" };
import errors from "./errors.json" with { type: "json" };
import fleet from "./fleet.json" with { type: "json" };
import letters from "./letters.json" with { type: "json" };
import reasons from "./reasons.json" with { type: "json" };
import settings from "./settings.json" with { type: "json" };
import views from "./views.json" with { type: "json" };

export const catalogue: Catalogue = {
  ...ci,
  ...commands,
  ...doctor,
  ...errors,
  ...fleet,
  ...letters,
  ...reasons,
  ...settings,
  ...views,
};
