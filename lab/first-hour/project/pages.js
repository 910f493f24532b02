import ignore from "ignore";

const hidden = ignore().add("private/");
const pages = { home: "Welcome" };

export const answer = (path) => (path in pages && !hidden.ignores(path) ? 200 : 404);
