/** GitLab as a host, by `glab api`. */
import { z } from "zod";
import { pagesMax } from "../../core/limits.ts";
import { glab } from "../github/gh.ts";
import type { GhRun } from "../github/gh.ts";
import type { Hosted } from "../remotes.ts";
import { readAnswer, unlessMissing } from "./host.ts";
import type { Host, HostComments, HostIssues, Place } from "./host.ts";

const noteSchema = z.object({
  id: z.number(),
  body: z.string(),
  author: z.object({ username: z.string() }),
  system: z.boolean(),
  created_at: z.string(),
  updated_at: z.string(),
});
const levels = z.array(
  z.object({
    access_level: z.number().nullable(),
    user_id: z.number().nullish(),
    group_id: z.number().nullish(),
  }),
);
const request = z.object({
  iid: z.number(),
  web_url: z.string(),
  source_branch: z.string(),
  source_project_id: z.number().nullable(),
  target_project_id: z.number(),
});
const issueSchema = z.object({
  title: z.string(),
  description: z.string().nullable(),
  labels: z.array(z.string()),
  web_url: z.string(),
  state: z.string(),
});

/** GitLab's number for the role of a Developer. */
const developer = 30;

type Api = <S extends z.ZodType>(schema: S, asked: string, fields?: string[]) => Promise<z.infer<S>>;
type Asked = { api: Api; path: string };

export function gitlabHost({ host, owner, name }: Hosted, at: GhRun): Host {
  const api: Api = async (schema, asked, fields = []) =>
    readAnswer(schema, await glab(["api", asked, "--hostname", host, ...fields], at), asked);
  const asked = { api, path: `projects/${encodeURIComponent(`${owner}/${name}`)}` };
  return { ...commentsOn(asked), ...issuesOn(asked) };
}

const folder = ({ kind, number }: Place): string =>
  `${kind === "issue" ? "issues" : "merge_requests"}/${number}`;

function commentsOn({ api, path }: Asked): HostComments {
  return {
    async me() {
      return (await api(z.object({ username: z.string() }), "user")).username;
    },
    async list(place) {
      const notes: z.infer<typeof noteSchema>[] = [];
      for (let page = 1; page <= pagesMax; page += 1) {
        const asked = `${path}/${folder(place)}/notes?sort=asc&order_by=created_at&per_page=100&page=${page}`;
        const some = await api(z.array(noteSchema), asked);
        notes.push(...some);
        if (some.length < 100) break;
      }
      return notes
        .filter(({ system, body }) => !system && /^(?:\/monoco|<!-- monoco)/.test(body))
        .map(({ id, author, body }) => ({
          id: `${folder(place)}/notes/${id}`,
          login: author.username,
          body,
        }));
    },
    async see(id) {
      const [, kind, number] = /^(issues|merge_requests)\/(\d+)\/notes\/\d+$/.exec(id) ?? [];
      const note = kind === undefined ? undefined : await unlessMissing(api(noteSchema, `${path}/${id}`));
      if (!note) return undefined;
      const place: Place = { kind: kind === "issues" ? "issue" : "pull", number: Number(number) };
      const { source_branch: branch } =
        place.kind === "pull" ? await api(request, `${path}/${folder(place)}`) : { source_branch: undefined };
      return {
        login: note.author.username,
        isPerson: !note.system,
        body: note.body,
        isEdited: note.created_at !== note.updated_at,
        isHidden: false,
        createdAtMs: Date.parse(note.created_at),
        place,
        branch,
      };
    },
    may: (login, base, right) => mayIn({ api, path }, login, right === "merge" ? base : undefined),
    async reply(place, text) {
      await api(z.unknown(), `${path}/${folder(place)}/notes`, [
        "--method",
        "POST",
        "--raw-field",
        `body=${text}`,
      ]);
    },
  };
}

/** With `into`, the right to merge into that branch is needed, too. */
async function mayIn({ api, path }: Asked, login: string, into: string | undefined): Promise<boolean> {
  const accounts = z.array(z.object({ id: z.number() }));
  const id = (await api(accounts, `users?username=${encodeURIComponent(login)}`))[0]?.id;
  if (id === undefined) return false;
  const { bot } = await api(z.object({ bot: z.boolean() }), `users/${id}`);
  const member = z.object({ access_level: z.number(), state: z.string() });
  const one = await unlessMissing(api(member, `${path}/members/all/${id}`));
  if (bot || one?.state !== "active" || one.access_level < developer) return false;
  if (into === undefined) return true;
  const asked = `${path}/protected_branches/${encodeURIComponent(into)}`;
  const guarded = await unlessMissing(api(z.object({ merge_access_levels: levels }), asked));
  const isEnough = ({
    access_level: level,
    user_id: user,
    group_id: group,
  }: z.infer<typeof levels>[number]): boolean =>
    typeof user === "number"
      ? user === id
      : !group && level !== null && level > 0 && one.access_level >= level;
  return guarded === undefined || guarded.merge_access_levels.some(isEnough);
}

function issuesOn({ api, path }: Asked): HostIssues {
  const requestsOf = async (branch: string): Promise<z.infer<typeof request>[]> => {
    const source = encodeURIComponent(branch);
    const asked = `${path}/merge_requests?state=opened&per_page=100&source_branch=${source}`;
    // Forks may have branches of that name.
    return (await api(z.array(request), asked)).filter(
      (one) => one.source_project_id === one.target_project_id,
    );
  };
  return {
    async pullsOf(branch) {
      return (await requestsOf(branch)).map(({ iid }) => iid);
    },
    async issue(number) {
      const one = await api(issueSchema, `${path}/issues/${number}`);
      const { title, labels, description, web_url: url, state } = one;
      return { title, body: description ?? "", labels, url, isOpen: state === "opened" };
    },
    async openPull({ base, branch, title, body }) {
      const there = (await requestsOf(branch))[0];
      if (there) return there.web_url;
      const fields = { source_branch: branch, target_branch: base, title, description: body };
      const given = Object.entries(fields).flatMap(([key, value]) => ["--raw-field", `${key}=${value}`]);
      return (await api(request, `${path}/merge_requests`, ["--method", "POST", ...given])).web_url;
    },
    async closePull(number) {
      const close = ["--method", "PUT", "--raw-field", "state_event=close"];
      await api(z.unknown(), `${path}/merge_requests/${number}`, close);
    },
  };
}
