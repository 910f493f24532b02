/** A block between two marked lines: added at the end, and taken out wherever it stands. */
import { expect, test } from "vitest";
import { addBlock, removeBlock } from "../../../src/core/hooks/marked-block.ts";

const block = { begin: "<!-- begin -->", end: "<!-- end -->", lines: ["## Mine", "", "Text."] };

test.for([["# A\n"], ["# A\r\n\r\ntext\r\n"], [""], ["\n"]])(
  "added to %j and taken out, it was never there",
  ([text]) => {
    const added = addBlock(text!, block);
    expect(added.startsWith(text!)).toBe(true);
    expect(added).toContain("## Mine");
    expect(addBlock(added, block)).toBe(added);
    expect(removeBlock(added, block)).toBe(text);
  },
);

test("what a person has written around it since stays", () => {
  const added = `${addBlock("# A\n", block)}\n## More\n`.replace("# A", "# B");
  expect(removeBlock(added, block)).toBe("# B\n\n## More\n");
});

test("a block without its end is left alone", () => {
  expect(removeBlock("# A\n<!-- begin -->\n", block)).toBe("# A\n<!-- begin -->\n");
});
