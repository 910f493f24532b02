import assert from "node:assert/strict";
import { test } from "node:test";
import { answer } from "./pages.js";

test("the first page is there", () => assert.equal(answer("home"), 200));
test("what is private is not", () => assert.equal(answer("private/notes"), 404));
