import { playWeekend } from "./weekend/play.ts";
import { page } from "./weekend/page.ts";
const w = await playWeekend({ plain: 2, approvals: 2, questions: 1, hopeless: 1 }, 2);
console.log(page(w));
console.log(w.counted, w.sessions, w.seconds);
