import { answer } from "./pages.js";

console.log(answer(process.argv[2]));
