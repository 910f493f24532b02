/** The fixed limits: each with its unit, reason and source. Limits that monoco.yaml may set are in limits-schema.ts. */

/** Upper bounds of the context marks, whatever the window: a 1M window is full of rot long before it is full. */
export const contextTokensMax = [120_000, 150_000, 170_000] as const;

/** Shares of a session's time and budget at which the three marks are, like those of the context. */
export const timeMarks = [0.6, 0.8, 1] as const;

/** The window that is assumed if neither agent nor settings report one. */
export const windowTokensAssumed = 200_000;

/** Length at which a line of agent output is cut; lines of 100 MB were seen. */
export const lineBytesMax = 1024 * 1024;
/** Nesting above which a line of JSON is not parsed: parsing 1 MiB of brackets takes more memory than a run. Agents' lines have some ten levels. */
export const lineDepthMax = 200;
/** Arrays and objects above which a line of JSON is not parsed: each takes some 56 bytes in memory. Agents' lines have a few hundred. */
export const lineBracketsMax = 50_000;
/** Days after a merge within which a revert, a reopening or a repair counts as its escape: later ones say more of later work. */
export const escapeDays = 14;
/** Merges below which no share of escapes is named: it would say nothing. */
export const shareMergesMin = 10;
/** Output that is kept of a session; more is a flood, and stops the session. */
export const streamBytesMax = 64 * 1024 * 1024;
/** Files that a Reviewer wrote for its commands, in the record of a merge, bytes: records are fetched with the repository. */
export const addedBytesMax = 64 * 1024;
/** Number of `**` in one pattern of `protected`: each adds a power to the running time, and four took 1.2 s for one path of 100 folders. */
export const patternGlobstarsMax = 3;
/** Folders of a path that patterns are compared with; of a deeper path, the first ones and the name. Nested packages are some 30 deep. */
export const patternPathFoldersMax = 50;
/** Output that is kept of a check. */
export const logBytesMax = 4 * 1024 * 1024;

/** Size of a handoff above which it warns, and loses its oldest carried entries: it should hand over the minimum. */
export const handoffBytes = 8 * 1024;
/** Learnings of merged relays: entries kept, characters of each, and bytes in a session's prompt (some 500 tokens), the newest first. */
export const learningsMax = 200;
export const learningCharsMax = 300;
export const learningsBytesMax = 2_000;
/** Largest file that is read as a handoff. */
export const handoffBytesMax = 128 * 1024;
/** Largest issue, role or settings file; larger ones are refused. GitHub's longest issue has 65,536 characters. */
export const documentBytesMax = 256 * 1024;
/** Share of changed entries above which the card cache is rewritten: reading few files again is faster than writing the whole cache. */
export const cardsStaleShare = 0.05;
/** Largest card cache that is read: enough for more than 100,000 issues, so a larger file is not monoco's. */
export const cardCacheBytesMax = 64 * 1024 * 1024;
/** Age below which a file's card is not cached, ms: the file may change again within the same time stamp. FAT counts in 2 s. */
export const racyMs = 3_000;
/** Longest front matter; longer ones are refused, since YAML's parser creates an error for each character that it cannot place. */
export const frontMatterCharsMax = 32 * 1024;
/** Longest run of blanks and line ends in front matter: gray-matter's search for comments takes quadratic time in it. */
export const frontMatterBlanksMax = 1_000;
/** Wait for the lock of a ref of monoco's own, ms: git moves it within milliseconds, and a killed git never releases it. */
export const refLockMs = 5_000;
/** Nesting of lists above which they are not parsed: each level holds the text of all levels below it. */
export const nestingMax = 32;
/** Lists and quotations that may begin on one line; further ones are text, since micromark takes quadratic time and memory for them. */
export const markersMax = 4;
/** Lines that are parsed at a time: micromark takes up to 20 kB for each, and copies all that it has read at the end of a list. */
export const pieceLines = 500;
/** Lines of a piece at most, if a single block is longer than `pieceLines`. */
export const blockLinesMax = 1_000;
/** Characters of a line of Markdown that are parsed: further on, only the end of a comment counts. */
export const lineCharsRead = 500;
/** Items of one import, and of a tracker's answer: more is a mistake, or should be imported in parts. */
export const importItemsMax = 1_000;
export const importBytesMax = 8 * 1024 * 1024;
/** Characters of a title in a file name: 60 letters of four bytes still fit the 255 bytes of a name, with id and `.md`. */
export const slugCharsMax = 60;
/** Characters of "Working on" that are searched for file names. */
export const workingOnCharsMax = 4_000;
/** Attempts to create a mailbox while an agent puts a file in its place. */
export const mailboxTriesMax = 100;
/** Size of a mailbox message; larger ones are refused. */
export const messageBytesMax = 256 * 1024;

/** Bytes of a diff in a prompt; the Reviewer reads the rest in its clone. */
export const diffBytesInPrompt = 60_000;
/** Files in the list before that diff: at 80 characters each they take at most a quarter of it. */
export const diffStatFilesMax = 200;
/** Size above which a file's changes are not searched for weakened tests, but reported as hidden. */
export const inspectedFileBytesMax = 4 * 1024 * 1024;
/** Length at which a line of a diff is cut for people: a line of 10 MB floods a terminal and freezes an editor. */
export const diffLineCharsMax = 2_000;
/** Characters of a diff that are searched: 10 MB take some seconds. */
export const inspectedCharsMax = 64 * 1024 * 1024;

/** Names of scripts that checks run in turn, each looked up twice: a project's checks lead to dozens of files, with some five names for each import. */
export const scriptNamesMax = 2_000;

/** Characters of the next Executor's prompt for files that a Reviewer added in its clone. */
export const additionCharsMax = 10_000;

/** Untracked files above which they count as output, not work: the snapshot leaves them out, and says so. */
export const snapshotFilesMax = 5_000;
export const snapshotFileBytesMax = 20 * 1024 * 1024;

/** Time after which a git counts as hung, ms. */
export const gitMsMax = 10 * 60_000;
/** Time after which the long-running git reader is replaced, ms: it normally answers at once. */
export const readerMsMax = 10_000;
/** Time limit of git on files of an agent, ms: the agent may have replaced any of them by a pipe. */
export const gitInWorkspaceMsMax = 60_000;
/** Commits per session that are kept although only a clone's reflogs refer to them, the newest first. */
export const reflogTipsMax = 64;
/** Largest reflog that is read, bytes: some 5,000 entries. */
export const reflogBytesMax = 1_000_000;
/** Conflicted paths that a session's record lists. */
export const unmergedPathsMax = 50;
/** Repositories of their own in a clone that a session's record lists. */
export const innerRepositoriesMax = 50;
/** Time after which git is suspected to read a pipe, ms: git reads 20,000 files in a quarter of it, and each search for pipes takes as long again. */
export const gitAtPipeMs = 250;
/** Time after an agent's start, if the machine is quiet, at which pipes that no git has met are removed, ms: an agent thinks before it calls git. */
export const pipesAfterMs = 1_000;
/** Extra time for the fetch of a session's work after a stop, ms: the next run repeats it. */
export const gitAfterStopMs = 3_000;
/** Time for a git and its children to end before they are killed, seconds. */
export const gitKillSeconds = 1;
/** First wait before a git that failed because of another git in the same repository is retried, ms; it doubles each time, … */
export const vanishedWaitMsMin = 50;
/** … up to this: some three seconds in all. A `gc` holds a folder or a lock for much less. */
export const vanishedWaitMsMax = 1_600;
/** Age from which a lock of git's counts as left behind, ms: editors and prompts hold the index for a part of a second, `git add` of a large tree for some. */
export const youngLockMs = 10_000;
/** Time for a git that a killed runner left behind to finish its merge, ms, before a person is told. */
export const leftGitMsMax = 30_000;
/** Attempts of a fetch whose commit is lost at once: a concurrent `gc` did that to one in a hundred. */
export const fetchTriesMax = 3;
/** Rounds of copying a repository's packs: a further round is needed only if git has repacked in between. */
export const packRoundsMax = 20;

/** Time between TERM and KILL, ms. Claude Code takes 1.6 s to end a running tool on TERM. */
export const termGraceMs = 3_000;
/** The same on Ctrl-C, ms: everything ends in under 2 s. */
export const interruptGraceMs = 1_000;
/** Time to read the environments of processes, ms. Each takes microseconds, unless a process holds its own lock: one stuck in exec held it for 26 min. */
export const sweepReadMs = 500;
/** Time to search for remains of a process tree, ms: the session then counts as ended, and its lock shows whether a process is left. */
export const sweepMs = 10_000;
/** Time for the AWS CLI to give a profile's credentials, ms: it asks the network, and may run a person's own program. */
export const profileMsMax = 60_000;
/** Extensions that a session may get, however short: each is an event. */
export const extensionsMax = 10;
/** Names that an agent may give its own session: each is an event, and lines with new names have flooded a journal. */
export const sessionNamesMax = 8;
/** MCP servers of a session of which it is recorded that they failed to start: each is an event. */
export const serversFailedMax = 20;
/** Time for an agent to end by itself after its handoff or submission, ms. */
export const lingerMs = 120_000;

/** Extra time for a session that writes its handoff when its budget is spent, ms. */
export const handoffMs = 120_000;

/** Age above which a conversation is not continued, ms (protocol article: 24 h). */
export const conversationMsMax = 24 * 60 * 60_000;

/** Time for the handoff of a session that was ended at a mark, when its conversation is reopened, ms. */
export const lastWordsMs = 180_000;

/** Time for the closing question to a session that ended by itself, when its conversation is reopened, ms. */
export const closingMs = 120_000;

/** Time for a session that proposes an issue, ms: the person waits at the terminal. */
export const proposalMs = 300_000;
/** Sessions that may try to propose an issue, before the issue gets only the person's text. */
export const proposalTriesMax = 2;
/** Characters of a request; a longer text should be an issue's file. */
export const requestCharsMax = 20_000;
/** Time for which an unused proposal, its logs and its cost are kept, ms; no budget counts the cost for longer. */
export const proposalKeptMs = 7 * 24 * 60 * 60_000;

/** Blocks in a row by the stop hook; Claude Code overrides the tenth. */
export const stopBlocksMax = 8;

/** Times `limits.turnsPerMinute`: turns without a tool's result, however slow; Codex polls a long command every 5 s at most. */
export const idleTurnsFactor = 5;

/** Reviewer sessions without a verdict on one submission, before monoco asks a person. */
export const noVerdictMax = 2;
/** Verdicts on one submission that do not count, before monoco asks a person: the Reviewer is told once what was wrong. */
export const verdictRefusalsMax = 2;
/** Rounds that raise the same finding, before monoco asks a person: neither side will give way. */
export const findingRoundsMax = 3;
/** Time within which a command that a verdict names must end when it is run again, ms. */
export const rerunMsMax = 60_000;
/** Time limit of a check on an altered tree: this multiple of its time on the submission, and at least so many ms. Mutation testers have such a limit; a busy machine is slower. */
export const alteredTimesMax = 5;
export const alteredMsMin = 60_000;
/** Wait for the last message of Claude Code's transcript, ms: it may be written after the hook is called. This was always enough. */
export const transcriptMs = 300;
/** Commits of the base whose baselines are kept, by set-up. */
export const baselinesKeptMax = 20;
/** Trees whose command results are kept: a submission has some ten. */
export const treesKeptMax = 100;
/** Size of a source file above which its changes are not taken back: nobody wrote it by hand. */
export const takenBackBytesMax = 256 * 1024;
/** Source files that are searched for changes to take back, at three runs of git each. */
export const takenBackFilesMax = 40;
/** Files on each side of a merge that are searched for imports, … */
export const importingFilesMax = 300;
/** … and files where both sides meet that the journal lists. */
export const meetingsMax = 20;
/** Size of a file above which a verdict's reference to it is not checked. */
export const evidenceBytesMax = 8 * 1024 * 1024;
/** Submits in a row refused for one reason, before monoco asks a person: the next would be refused, too. */
export const submitRefusalsMax = 3;
/** Files that the record of a refused submit lists. */
export const refusalPathsMax = 100;
/** Attempts to move a base branch that others move, too. */
export const mergeRoundsMax = 3;
/** The same in a remote run: each machine that merges at the same moment may cost a round, and none of them needs a person. */
export const mergeRoundsSharedMax = 50;
/** Time for a push or a call of gh, ms: a network that hangs is a failure. */
export const publishMsMax = 5 * 60_000;
/** Time for a signature that no person is asked for, ms: a hardware key waits for a touch. */
export const signMsMax = 30_000;
/** Characters of what a program says that does not sign. */
export const signWordsMax = 300;
/** Characters of a pull request's body: GitHub takes 65,536. */
export const dossierCharsMax = 60_000;
/** Characters of a remark on a pull request and of a failed check's log there: a session has to read them all. */
export const remarkCharsMax = 4_000;
/** Findings taken from a pull request at a time; the rest follow in the next round. */
export const pullFindingsMax = 30;
/** Pages of 100 comments that are read on one issue or merge request of GitLab. */
export const pagesMax = 50;
/** The body of an issue that comes in by its label: GitHub's own limit of characters. */
export const intakeCharsMax = 65_536;
/** Tries to land a contract under an id that nobody else gives out at the same time. */
export const intakeRoundsMax = 5;
/** Logs of failed checks fetched at a time: each is a call of gh. */
export const pullLogsMax = 5;
/** Remarks of others that a person is told of. */
export const othersNamedMax = 20;
/** Executor sessions that one relay may spend on conflicts and red merges. */
export const mergeRepairsMax = 3;

/** Longest retry delay of an agent that monoco waits for, ms: five of OpenCode's fit before the model counts as gone. */
export const retryWaitMsMax = 90_000;
/** The same if the agent does not report its delay, ms; a slow first token fits in, too. */
export const untoldWaitMsMax = 180_000;

/** Least wait after a usage limit whose end is past, or that recurs, ms; it doubles from the third in a row on. */
export const usageLimitMsMin = 60_000;
/** Longest wait for a usage limit, ms: spending limits end with the month, so a later time is a mistake of the agent. */
export const usageLimitMsMax = 32 * 24 * 60 * 60_000;
/** Time for a person at a terminal to choose between waiting and quitting, ms. */
export const waitChoiceMs = 30_000;
/** After a usage limit ends, relays of the account return within this time, ms, … */
export const resetJitterMsMax = 30_000;
/** … and within this share of the wait, so that a short wait stays short. */
export const resetJitterShare = 0.1;
/** Upper bound of the back-off after failed sessions, which doubles each time, seconds. */
export const backoffSecondsMax = 3_600;
/** Least back-off after an outage, seconds, whatever the settings say: these sessions are not counted against a relay. */
export const outageBackoffSecondsMin = 1;
/** Upper bound of the breaker's cool-down, which doubles with each failed probe, ms: a night leaves time for another try. */
export const breakerCoolDownMsMax = 4 * 60 * 60_000;

/** Characters of a question, an answer or a note; and the number of a person's messages in a prompt, the newest. */
export const saidCharsMax = 8_000;
export const saidInPromptMax = 20;

/** Bounds of a verdict: findings (the gravest), criteria and probes, and characters of each text. Thousands made prompts of 1 MB. */
export const verdictItemsMax = 50;
/** Criteria that a verdict may speak of: an issue with more should be split. */
export const verdictCriteriaMax = 500;
export const verdictTitleCharsMax = 300;
export const verdictTextCharsMax = 2_000;

/** Sessions of a loop that sets no number. */
export const loopSessionsMax = 20;
/** Size of a loop's prompt: it is part of live.json, which hooks read at every stop. */
export const loopPromptCharsMax = 64 * 1024;

/** Characters of an event's line. */
export const eventCharsMax = 400;

/** Time for which news is collected before people are told, ms, since several relays may rest at once; and seconds that a command or a webhook may take. */
export const notifyBatchMs = 10_000;
export const notifySecondsMax = 20;
/** Characters of notices in a variable: the kernel takes 128 KiB, and a character may have 3 bytes. */
export const noticeCharsMax = 40_000;

/** How often a session's last words are written down for views, ms. */
export const doingMs = 1_000;
/** How often a command that follows a log looks for more, ms. */
export const followMs = 200;
/** Wait of a command for the runner to take its message, ms. */
export const acknowledgeMs = 3_000;

/** The oldest git that works: its merge-tree came with this version. */
export const gitLeast = "2.38";
/** Free space below which a clone, a set-up or a journal may no longer fit, bytes. */
export const freeBytesMin = 1_000_000_000;

/** Connections that a session may have open through its proxy (an installer opens dozens); and refused hosts that are recorded. */
export const proxyConnectionsMax = 200;
export const refusedHostsMax = 50;
/** Wait for a whole file system to be written to disk, ms; a slower disk is not waited for. */
export const syncMsMax = 60_000;

/** Tags and remote-tracking branches that a clone shows, the newest: each makes its git slower. */
export const tagsMax = 5_000;
export const remoteRefsMax = 1_000;
/** Submodules of a repository that are filled: each costs a dozen processes. */
export const submodulesMax = 200;
/** The longest lease, in minutes: whoever may push can write one, and it would keep everybody out for as long. */
export const leaseMinutesMax = 7 * 24 * 60;
