/** The word lists of exit detection, English and Chinese; each entry matches one sentence. */

/** "I am done" and the like, counted over consecutive sessions. */
export const doneSignals: readonly RegExp[] = [
  /\b(?:all|every)\b[^.]{0,40}\b(?:tasks?|work|criteria|criterion|items?|todos?|requirements?)\b[^.]{0,30}\b(?:done|complete|completed|finished|implemented|met|resolved)\b/i,
  /\b(?:the )?(?:task|issue|work|feature|fix|implementation|project|job)\b (?:is|are|has been|have been|was) (?:now |fully |all )?(?:done|complete|completed|finished|implemented)\b|\bimplementation complete\b/i,
  /\b(?:i am|i'm|we are|we're) (?:now |all )?(?:done|finished)\b|^(?:done|finished|completed?|all done)[.! ]*$/i,
  /\b(?:nothing|no (?:more )?(?:work|tasks?|items?)) (?:is |are )?(?:left|more|remains?|remaining|else)\b/i,
  /(?:所有|全部|各项)(?:的)?(?:任务|工作|需求|验收标准|功能|待办)?[^。！!]{0,12}(?:都|均)?(?:已经?)?(?:全部)?(?:完成|实现|做完|满足)/u,
  /(?:任务|工作|开发|实现|修复|功能|项目)(?:已经?|都已?|均已?)?(?:全部)?(?:完成|完毕|做完)|[没无]有?(?:剩余|遗留)的?(?:任务|工作)/u,
];

/** The only indicator that monoco can verify itself. */
export const testsPass =
  /\b(?:all |the )?(?:tests?|checks?|suite|builds?)\b[^.]{0,30}\b(?:pass|passes|passed|passing|green|succeeds?|succeeded)\b/i;

/** Incidental signs of completion: an EXIT_SIGNAL needs two different ones. */
export const completionIndicators: readonly RegExp[] = [
  /\b(?:complete|completed)\b/i,
  /\b(?:done|finished)\b/i,
  /\bimplemented\b/i,
  /\bready\b/i,
  testsPass,
  /\bno (?:errors?|failures?|issues?) (?:left|remain|found)?\b/i,
  /\bcommitted\b/i,
  /(?:完成|完毕)/u,
  /(?:已|成功)实现/u,
  /(?:测试|检查|构建)[^。]{0,10}(?:通过|成功|全绿)/u,
  /(?:没有|无|零)(?:错误|报错|失败)/u,
  /已提交/u,
];

/** Signs that the whole work is over: a summary, acceptance, deployment. */
export const strongIndicators: readonly RegExp[] = [
  /\b(?:in summary|to summari[sz]e|in conclusion)|^#{1,4} *(?:final )?(?:summary|report|conclusion)\b/i,
  /\b(?:all|every) (?:of the )?acceptance (?:criteria|criterion)\b[^.]{0,30}\b(?:met|satisfied|fulfilled|pass(?:es|ed)?|hold)\b/i,
  /\bready (?:for|to) (?:be )?(?:production|deploy(?:ment|ed)?|release[d]?|ship(?:ped)?|merge[d]?|review(?:ed)?)\b/i,
  /综上所述|整体来看|总的来说|总结(?:一下)?[:：]|项目已具备|可以?(?:部署|发布|上线|交付|提交评审|合并)/u,
  /(?:满足|符合|达到)了?(?:所有|全部)?的?验收标准|(?:所有|全部)验收标准[^。]{0,8}(?:满足|通过|达成)/u,
];

/** Words that turn a sentence into a plan, a condition, a doubt or a denial. */
export const denials: readonly RegExp[] = [
  /\b(?:not|no longer|never|nothing is|none|cannot|without)\b(?! (?:left|more|remain))|n['’]t\b/i,
  /\b(?:yet|almost|nearly|partially|partly|half|mostly|except|remaining|still|soon|later|tomorrow|but|however|although|fail\w*|broken|blocked|todo|wip)\b/i,
  /\b(?:when|once|until|if|unless|before|after|as soon as|should|would|could|will|must|might|may|need(?:s|ed)? to|to be|going to|want(?:s|ed)? to|try(?:ing)? to|plan(?:s|ned)? to|expect(?:s|ed)?|let me|i'll|we'll|next)\b/i,
  /\b(?:(?:step|part|phase|task|item|milestone|criterion) ?\d*|\d+(?: \d*)?) ?(?:of|\/) ?\d+/i,
  /\b(?:first|second|third|one|two|some|most|half) (?:of )?(?:the )?(?:tasks?|parts?|steps?|items?|criteria|criterion|milestones?)\b/i,
  /[?？]|^\s*[-*+]\s*\[[ /-]\]/,
  /(?:未|尚|没(?!有(?:任何)?(?:剩余|遗留|其他|错误|报错|失败))|不(?!错)|还差|还有|仍|待|如果|若|一旦|之后|以后|等到|即将|将要|将会|几乎|部分|除了|除外|但|然而|应该|需要|准备|计划|打算|接下来|下一步|后再|完成后|通过后|等[^。]{0,20}(?:后|再)|第[一二三四五六七八九十\d]+(?:步|项|个))/u,
];

/** "Nothing left" has the form of a denial and the meaning of completion. */
export const nothingLeft =
  /\b(?:nothing|no (?:more )?(?:work|tasks?|items?)) (?:is |are )?(?:left|more|remains?|remaining|else)\b|\bno (?:errors?|failures?|issues?)\b/gi;
