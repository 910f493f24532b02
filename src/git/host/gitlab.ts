/** GitLab as a host, by `glab api`. */
import { z } from "zod";
import { pagesMax } from "../../core/limits.ts";
import { glab } from "../github/gh.ts";
import type { GhRun } from "../github/gh.ts";
import type { Hosted } from "../remotes.ts";
import { readAnswer, unlessMissing } from "./host.ts";
import type { Host } from "./host.ts";
import type { Place } from "../../core/comments/event.ts";

const noteSchema = z.object({
  id: z.number(),
  body: z.string(),
  author: z.object({ username: z.string() }),
  system: z.boolean(),
  created_at: z.string(),
  updated_at: z.string(),
});
const accountSchema = z.object({ username: z.string() });
const memberSchema = z.object({ access_level: z.number(), state: z.string() });
const levelSchema = z.object({
  access_level: z.number().nullable(),
  user_id: z.number().nullish(),
  group_id: z.number().nullish(),
});
const branchSchema = z.object({ protected: z.boolean() });
const ruleSchema = z.object({ name: z.string(), merge_access_levels: z.array(levelSchema) });
const requestSchema = z.object({
  iid: z.number(),
  web_url: z.string(),
  source_project_id: z.number().nullable(),
  target_project_id: z.number(),
});
const issueSchema = z
  .object({
    title: z.string(),
    description: z.string().nullable(),
    labels: z.array(z.string()),
    web_url: z.string(),
    state: z.string(),
  })
  .transform(({ title, description, labels, web_url: url, state }) => ({
    title,
    body: description ?? "",
    labels,
    url,
    isOpen: state === "opened",
  }));

/** GitLab's number for the role of a Developer. */
const developer = 30;

type Api = <T>(schema: z.ZodType<T>, asked: string, fields?: readonly string[]) => Promise<T>;
type Asked = { api: Api; path: string };

const folderOf = ({ kind, number }: Place): string =>
  `${kind === "issue" ? "issues" : "merge_requests"}/${number}`;

const given = (method: "POST" | "PUT", fields: Record<string, string>): string[] => [
  "--method",
  method,
  ...Object.entries(fields).flatMap(([key, value]) => ["--raw-field", `${key}=${value}`]),
];

export function gitlabHost({ host, owner, name }: Hosted, at: GhRun): Host {
  const api: Api = async (schema, asked, fields = []) =>
    readAnswer(schema, await glab(["api", asked, "--hostname", host, ...fields], at), asked);
  const path = `projects/${encodeURIComponent(`${owner}/${name}`)}`;
  const requestsOf = async (branch: string, into?: string): Promise<z.infer<typeof requestSchema>[]> => {
    const target = into === undefined ? "" : `&target_branch=${encodeURIComponent(into)}`;
    const which = `state=opened&per_page=100&source_branch=${encodeURIComponent(branch)}${target}`;
    const found = await api(z.array(requestSchema), `${path}/merge_requests?${which}`);
    // Forks may have branches of that name.
    return found.filter((one) => one.source_project_id === one.target_project_id);
  };
  return {
    me: async () => (await api(accountSchema, "user")).username,
    async list(place) {
      const notes = await notesOn({ api, path }, `${folderOf(place)}/notes`);
      return notes
        .filter(({ system, body }) => !system && /^(?:\/monoco|<!-- monoco)/.test(body))
        .map(({ id, author, body }) => ({
          id: `${folderOf(place)}/notes/${id}`,
          login: author.username,
          body,
        }));
    },
    async see(id) {
      const note = await unlessMissing(api(noteSchema, `${path}/${id}`));
      return (
        note && {
          login: note.author.username,
          isPerson: !note.system,
          body: note.body,
          isEdited: note.created_at !== note.updated_at,
          isHidden: false,
          createdAtMs: Date.parse(note.created_at),
        }
      );
    },
    may: (login, into) => mayIn({ api, path }, login, into),
    async reply(place, body) {
      await api(z.unknown(), `${path}/${folderOf(place)}/notes`, given("POST", { body }));
    },
    issue: (number) => api(issueSchema, `${path}/issues/${number}`),
    pullsOf: async (branch) => (await requestsOf(branch)).map(({ iid }) => iid),
    async openPull({ base, branch, title, body }) {
      const fields = { source_branch: branch, target_branch: base, title, description: body };
      const [there] = await requestsOf(branch, base);
      const request = there ?? (await api(requestSchema, `${path}/merge_requests`, given("POST", fields)));
      return request.web_url;
    },
    async closePull(number) {
      await api(z.unknown(), `${path}/merge_requests/${number}`, given("PUT", { state_event: "close" }));
    },
  };
}

async function notesOn({ api, path }: Asked, notes: string): Promise<z.infer<typeof noteSchema>[]> {
  const all: z.infer<typeof noteSchema>[] = [];
  for (let page = 1; page <= pagesMax && all.length === (page - 1) * 100; page += 1) {
    const which = `sort=asc&order_by=created_at&per_page=100&page=${page}`;
    all.push(...(await api(z.array(noteSchema), `${path}/${notes}?${which}`)));
  }
  return all;
}

/** With `into`, the right to merge into that branch is needed, too. */
async function mayIn({ api, path }: Asked, login: string, into: string | undefined): Promise<boolean> {
  const named = `users?username=${encodeURIComponent(login)}`;
  const [account] = await api(z.array(z.object({ id: z.number() })), named);
  if (!account) return false;
  const { bot } = await api(z.object({ bot: z.boolean() }), `users/${account.id}`);
  const member = await unlessMissing(api(memberSchema, `${path}/members/all/${account.id}`));
  if (bot || member?.state !== "active" || member.access_level < developer) return false;
  if (into === undefined) return true;
  const branch = await api(branchSchema, `${path}/repository/branches/${encodeURIComponent(into)}`);
  if (!branch.protected) return true;
  // Of several rules that match, GitLab takes the one that allows it; `*` stands for any characters, slashes too.
  const rules = await api(z.array(ruleSchema), `${path}/protected_branches?per_page=100`);
  const levels = rules
    .filter(({ name }) => isCovered(into, name))
    .flatMap((rule) => rule.merge_access_levels);
  return levels.some(({ access_level: level, user_id: user, group_id: group }) =>
    typeof user === "number"
      ? user === account.id
      : !group && level !== null && level > 0 && member.access_level >= level,
  );
}

/** A rule has the name of a branch, or a pattern. */
function isCovered(branch: string, rule: string): boolean {
  const parts = rule.split("*").map((part) => part.replaceAll(/[\\^$.|?+()[\]{}]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join(".*")}$`).test(branch);
}
