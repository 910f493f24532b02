/** The kinds of protected paths, and why each is protected. */
import type { Language } from "../language/handoff-words.ts";

/** The reason for each kind. `$1` is the pattern or command. */
export const protectedBecause = {
  settings: { en: "monoco's settings", zh: "monoco 的设置" },
  words: { en: "what monoco tells its agents", zh: "monoco 对 Agent 说的话" },
  contract: { en: "another issue's contract", zh: "另一个 issue 的契约" },
  command: { en: "run by monoco: $1", zh: "由 monoco 运行：$1" },
  lifecycle: { en: "package managers start it by themselves: $1", zh: "由包管理器自动运行：$1" },
  startup: { en: "read before code runs, without being named", zh: "未经指定即在代码运行前读取" },
  registry: { en: "where packages come from", zh: "决定软件包的来源" },
  vendored: { en: "code of others, committed", zh: "提交的第三方代码" },
  link: { en: "a link to code: $1", zh: "指向代码的链接：$1" },
  ci: { en: "CI: it runs with the project's rights", zh: "CI：以项目的权限运行" },
  hooks: { en: "git hooks: they run on people's machines", zh: "git 钩子：在人的机器上运行" },
  git: { en: "what git makes of files", zh: "决定 git 如何处理文件" },
  owners: { en: "who has to agree to changes", zh: "规定谁必须同意改动" },
  agents: {
    en: "what agents are told, and what they may do here",
    zh: "对 Agent 的指示，以及它们在此的权限",
  },
  lockfile: { en: "a lockfile: which code of others is run", zh: "锁文件：决定运行哪些第三方代码" },
  yours: { en: "protected by monoco.yaml: $1", zh: "由 monoco.yaml 保护：$1" },
} satisfies Record<string, Record<Language, string>>;

export type ProtectedKind = keyof typeof protectedBecause;
/** The kinds in order of listing. */
export const protectedKinds = Object.keys(protectedBecause) as ProtectedKind[];
