/** The fixed numbers: unit, reason, source. Those that monoco.yaml may set stand in limits-schema.ts. */

/** Marks never lie above these, whatever the window: a 1M window is full of rot long before it is full. */
export const contextTokensMax = [120_000, 150_000, 170_000] as const;

/** Share of a session's time, and of its budget, at which the three marks lie, like the context's. */
export const timeMarks = [0.6, 0.8, 1] as const;

/** The window that is assumed where nobody reports one. */
export const windowTokensAssumed = 200_000;

/** A line of agent output is cut here; 100 MB in one line were seen. */
export const lineBytesMax = 1024 * 1024;
/** A line of JSON that is nested deeper is not read: to parse 1 MiB of brackets takes more memory than a run. Agents' lines have ten levels or so. */
export const lineDepthMax = 200;
/** Nor is one with more arrays and objects: each takes some 56 bytes once it is parsed. Agents' lines have a few hundred. */
export const lineBracketsMax = 50_000;
/** A session's kept output; more is a flood and a reason to stop. */
export const streamBytesMax = 64 * 1024 * 1024;
/** `**` in one pattern of `protected`: each takes the time to the next power, and four took 1.2 s for one path of 100 folders. */
export const patternGlobstarsMax = 3;
/** Of a path in more folders, a pattern is compared with the first ones and the name. Packages in packages nest some 30 deep. */
export const patternPathFoldersMax = 50;
/** What is kept of a check's output. */
export const logBytesMax = 4 * 1024 * 1024;

/** A handoff hands over the minimum. Above this it warns, and the oldest carried items go. */
export const handoffBytes = 8 * 1024;
/** What merged relays learned: so many entries are kept, each so long; a session's prompt gets the newest within these bytes, some 500 tokens. */
export const learningsMax = 200;
export const learningCharsMax = 300;
export const learningsBytesMax = 2_000;
/** Nothing larger is read as a handoff. */
export const handoffBytesMax = 128 * 1024;
/** An issue, a role or a settings file that is larger is refused. GitHub's longest issue has 65,536 characters. */
export const documentBytesMax = 256 * 1024;
/** What was kept is written anew once more than this share of it is different: fewer files are read sooner than all of it is written. */
export const cardsStaleShare = 0.05;
/** More than 100,000 issues; a larger file is not what monoco wrote. */
export const cardCacheBytesMax = 64 * 1024 * 1024;
/** A file changed this short before it was read may change once more without another time: its card is not kept, ms. FAT counts in 2 s. */
export const racyMs = 3_000;
/** Front matter that is longer is refused: YAML's parser makes an error for each sign that it cannot place. */
export const frontMatterCharsMax = 32 * 1024;
/** And so is front matter with more blanks and line ends in a row: gray-matter's look for comments takes quadratic time in them. */
export const frontMatterBlanksMax = 1_000;
/** To wait for the lock of a ref of monoco's own, ms: its git takes ms to move it, and a killed one never gives it up. */
export const refLockMs = 5_000;
/** Lists nested deeper are not read: each level holds the text of all those below it. */
export const nestingMax = 32;
/** Lists and quotations that begin on one line; further ones are text: micromark takes quadratic time and memory for them. */
export const markersMax = 4;
/** Lines that are parsed at a time: micromark takes up to 20 kB for each, and at the end of a list copies all that it has read. */
export const pieceLines = 500;
/** And at most, where one block is longer than a piece. */
export const blockLinesMax = 1_000;
/** Of a line of Markdown: behind that, no sign means anything but the end of a comment. */
export const lineCharsRead = 500;
/** Items of one import, and what is read of a tracker's answer: more is a mistake, or wants to be taken in parts. */
export const importItemsMax = 1_000;
export const importBytesMax = 8 * 1024 * 1024;
/** A title in a file name: 60 letters of four bytes still fit the 255 bytes of a name, with id and `.md`. */
export const slugCharsMax = 60;
/** How far "Working on" is searched for file names. */
export const workingOnCharsMax = 4_000;
/** How often a mailbox is made where an agent puts a file in its place at the same moment. */
export const mailboxTriesMax = 100;
/** A mailbox message; larger ones are refused. */
export const messageBytesMax = 256 * 1024;

/** What a diff may take of a prompt; the Reviewer reads the rest in its clone. */
export const diffBytesInPrompt = 60_000;
/** Files in the list before that diff: with 80 characters each they take a quarter of it at most. */
export const diffStatFilesMax = 200;
/** A larger file's changes are not looked through for weakened tests: it is told of as hidden. */
export const inspectedFileBytesMax = 4 * 1024 * 1024;
/** A longer line of a diff is cut where a person reads it: one of 10 MB floods a terminal, and an editor stands still over it. */
export const diffLineCharsMax = 2_000;
/** What of a diff is looked through: 10 MB take some seconds. */
export const inspectedCharsMax = 64 * 1024 * 1024;

/** Names of scripts that checks run in turn, of which each is looked for twice: a project's checks lead to some tens of files, with five names or so for each import. */
export const scriptNamesMax = 2_000;

/** What a Reviewer added in its clone may take of the next Executor's prompt. */
export const additionCharsMax = 10_000;

/** More untracked files than these are output, not work: the snapshot leaves them out, and says so. */
export const snapshotFilesMax = 5_000;
export const snapshotFileBytesMax = 20 * 1024 * 1024;

/** A git that takes longer than this hangs, ms. */
export const gitMsMax = 10 * 60_000;
/** The same for the git that answers in a moment, ms: another is asked then. */
export const readerMsMax = 10_000;
/** The same where files of an agent are read, ms: it may have put a pipe in the place of any of them. */
export const gitInWorkspaceMsMax = 60_000;
/** Commits that only a clone's reflogs name are kept up to this number a session, the newest ones. */
export const reflogTipsMax = 64;
/** A longer reflog is not read, bytes: some 5,000 entries. */
export const reflogBytesMax = 1_000_000;
/** Paths with a conflict that a session's record names. */
export const unmergedPathsMax = 50;
/** After so long pipes are looked for there, ms: git reads 20,000 files in a quarter of it, and to look each time takes as long again. */
export const gitAtPipeMs = 250;
/** So long after an agent's start, when the machine is quiet, those go that no git has met, ms: an agent thinks before it calls git. */
export const pipesAfterMs = 1_000;
/** How much longer a fetch of a session's work may take after a stop was asked for, ms: the next run makes it again. */
export const gitAfterStopMs = 1_000;
/** How long a git that is ended, and what it has started, may take over it before it is killed, seconds. */
export const gitKillSeconds = 1;
/** A git that failed of another git's work in the same repository waits so long, ms, then twice as long each time, … */
export const vanishedWaitMsMin = 50;
/** … up to this: some three seconds in all. A `gc` takes a folder or a lock for much less. */
export const vanishedWaitMsMax = 1_600;
/** How long a git that a killed runner left may take over its merge until a person is told of it, ms. */
export const leftGitMsMax = 30_000;
/** So often a fetch is made whose commit is lost at once: a `gc` beside it did that to one in a hundred. */
export const fetchTriesMax = 3;
/** Looks at a repository's packs while they are copied: another one follows only where git has repacked meanwhile. */
export const packRoundsMax = 20;

/** Time between TERM and KILL, ms. Claude Code takes 1.6 s to end a running tool on TERM. */
export const termGraceMs = 3_000;
/** The same on Ctrl-C: everything is gone in under 2 s. */
export const interruptGraceMs = 1_000;
/** To read processes' environments, ms. It takes microseconds each, unless a process holds its own lock: one stuck in exec held it for 26 min. */
export const sweepReadMs = 500;
/** To look for what is left of a tree, ms: then the session counts as ended, and its lock tells whether somebody is left. */
export const sweepMs = 10_000;
/** Wishes for time that a session may have granted, whatever they come to: each is an event. */
export const extensionsMax = 10;
/** How often an agent may call its own session by another name: each is an event, and lines with new ones were a flood. */
export const sessionNamesMax = 8;
/** After a handoff or a submission is there, how long the agent may take to end by itself, ms. */
export const lingerMs = 120_000;

/** How much longer a session may take that is writing its handoff when its budget is spent, ms. */
export const handoffMs = 120_000;

/** A conversation that began longer ago is not gone on with, ms (protocol article: 24 h). */
export const conversationMsMax = 24 * 60 * 60_000;

/** For a session that was ended at a mark to write its handoff, when its conversation is opened once more, ms. */
export const lastWordsMs = 180_000;

/** For a session that ended by itself to answer whether the work is done, when its conversation is opened once more, ms. */
export const closingMs = 120_000;

/** For a session that proposes an issue for a text of a person's, who waits for it at the terminal, ms. */
export const proposalMs = 300_000;
/** Sessions that may give such an answer, before the issue has the text alone. */
export const proposalTriesMax = 2;
/** What a person asks for in one text; more is an issue's file. */
export const requestCharsMax = 20_000;
/** A proposal that nobody took is good for so long, ms; so are its logs and what it cost, which no budget counts for longer. */
export const proposalKeptMs = 7 * 24 * 60 * 60_000;

/** Blocks in a row by the stop hook; Claude Code overrides the tenth. */
export const stopBlocksMax = 8;

/** Reviewer sessions for one submission that return no verdict, before a person is asked. */
export const noVerdictMax = 2;
/** Verdicts on one submission that do not count, before a person is asked: the Reviewer is told once what was wrong. */
export const verdictRefusalsMax = 2;
/** Rounds that raise the same finding, before a person is asked: neither side will give way. */
export const findingRoundsMax = 3;
/** A command that a verdict names is run again if it is over in this time, ms. */
export const rerunMsMax = 60_000;
/** A check on an altered tree is ended after so many times what it took on the submission, and not before so many ms: mutation testers have such a bound, and a busy machine takes its time. */
export const alteredTimesMax = 5;
export const alteredMsMin = 60_000;
/** Claude Code may write the last message of its transcript after it has called its hook: so many ms it is waited for; that was enough each time. */
export const transcriptMs = 300;
/** Trees of which is kept how commands ended on them: a submission has some ten. */
export const treesKeptMax = 100;
/** A source file whose changes are not taken back: nobody wrote it. */
export const takenBackBytesMax = 256 * 1024;
/** Source files of which changes are looked for that can be taken back, three runs of git each. */
export const takenBackFilesMax = 40;
/** Files on each side of a merge that are searched for what they import, … */
export const importingFilesMax = 300;
/** … and files that meet there, of which the journal keeps the first. */
export const meetingsMax = 20;
/** A file that a verdict names is not looked into above this. */
export const evidenceBytesMax = 8 * 1024 * 1024;
/** Submits in a row that are refused for one reason, before a person is asked: the next would be refused, too. */
export const submitRefusalsMax = 3;
/** Files that the record of a refused submit names. */
export const refusalPathsMax = 100;
/** Attempts to move a base branch that others move too. */
export const mergeRoundsMax = 3;
/** A push, or a call of gh: a network that hangs is a failure, ms. */
export const publishMsMax = 5 * 60_000;
/** A pull request's body: GitHub takes 65,536 characters. */
export const dossierCharsMax = 60_000;
/** Of one remark on a pull request, and of one failed check's log there: a session has to read them all. */
export const remarkCharsMax = 4_000;
/** Findings taken from a pull request at a time; the others follow in the next round. */
export const pullFindingsMax = 30;
/** Logs of failed checks that are asked for at a time: each is a call of gh. */
export const pullLogsMax = 5;
/** Remarks of others that are named to the person. */
export const othersNamedMax = 20;
/** Executor sessions spent on conflicts and red merges of one relay. */
export const mergeRepairsMax = 3;

/** A request that an agent puts off for longer than this is not waited for, ms: five of OpenCode's are over before the model counts as gone. */
export const retryWaitMsMax = 90_000;
/** The same where an agent does not tell how long it waits, ms: an answer that is slow to begin fits in, too. */
export const untoldWaitMsMax = 180_000;

/** The least wait after a usage limit that names a time gone by, or comes a second time in a row, ms; it doubles from the third on. */
export const usageLimitMsMin = 60_000;
/** The longest, ms: spending limits end with the month; a time beyond is a mistake of the agent's. */
export const usageLimitMsMax = 32 * 24 * 60 * 60_000;
/** How long a person at a terminal has to say whether a run waits or quits, ms. */
export const waitChoiceMs = 30_000;
/** After a usage limit's end, all that wait for the account come back within this, ms, … */
export const resetJitterMsMax = 30_000;
/** … and within this share of the wait: a short one stays short. */
export const resetJitterShare = 0.1;
/** The back-off after failed sessions doubles up to this, seconds. */
export const backoffSecondsMax = 3_600;
/** The least back-off after an outage, seconds, whatever the settings say: these sessions are charged to nobody. */
export const outageBackoffSecondsMin = 1;
/** A breaker's cool-down doubles with each failed probe, up to this, ms: a night has time for another try. */
export const breakerCoolDownMsMax = 4 * 60 * 60_000;

/** A question, an answer, a note: characters; and how many of a person's go into a prompt, the newest. */
export const saidCharsMax = 8_000;
export const saidInPromptMax = 20;

/** Of what a Reviewer says: findings (the gravest), criteria, probes; and characters of each text. Thousands made prompts of 1 MB. */
export const verdictItemsMax = 50;
/** Words on criteria: an issue of more than so many should be split. */
export const verdictCriteriaMax = 500;
export const verdictTitleCharsMax = 300;
export const verdictTextCharsMax = 2_000;

/** Sessions of a loop that names no number. */
export const loopSessionsMax = 20;
/** A loop's prompt: it goes into live.json, which hooks read at every stop. */
export const loopPromptCharsMax = 64 * 1024;

/** An event in words: characters. */
export const eventCharsMax = 400;

/** How long news is gathered before people are told, ms: several relays rest at once. And how long a command or a webhook may take, seconds. */
export const notifyBatchMs = 10_000;
export const notifySecondsMax = 20;

/** How long a command waits for the runner to take its message, ms. */
export const acknowledgeMs = 3_000;

/** The git that monoco needs: its merge-tree came with this one. */
export const gitLeast = "2.38";
/** With less room than this a clone, a set-up or a journal may not fit any more. */
export const freeBytesMin = 1_000_000_000;

/** What a session may have open at once through its proxy: an installer opens dozens. And how many hosts that it was refused are recorded. */
export const proxyConnectionsMax = 200;
export const refusedHostsMax = 50;
/** For all of a file system to be on its disk, ms; a disk that takes longer is not waited for. */
export const syncMsMax = 60_000;
