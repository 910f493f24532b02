import { expect, test } from "vitest";
import { speaking } from "../../../src/app/language.ts";
import { inEnglish, t, translated } from "../../../src/core/language/translate.ts";
import { runName } from "../../../src/relay/run-name.ts";

const catalogue = { "merged as {0}": "已合并为 {0}", "without {0}": "去掉 {0}", check: "检查" };

test("what others read, too, is in English whatever is spoken, and what comes after it is not", () => {
  speaking(catalogue, () => {
    const said = (): string => `${t`merged as ${1}`} ${translated("check")}`;
    expect(inEnglish(said)).toBe("merged as 1 check");
    expect(() =>
      inEnglish(() => {
        throw new Error(inEnglish(said));
      }),
    ).toThrow("merged as 1 check");
    expect(said()).toBe("已合并为 1 检查");
  });
});

test("a run's logs are called in English, whatever a person reads", () => {
  const name = speaking(catalogue, () => runName`without ${"a.ts"}`);
  expect(name).toEqual({ log: "without a.ts", said: "去掉 a.ts" });
  expect(runName`without ${"a.ts"}`.said).toBe("without a.ts");
});
