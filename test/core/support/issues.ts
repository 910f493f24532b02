/** Issues as tests need them: one in English with all sections. */
export const file = "issues/FEAT-0001-log-in.md";

export const english = `---
id: FEAT-0001
title: Log in
dependencies: [FEAT-0002]
checks:
  - npm test
created_at: 2026-01-31T09:00:00Z # Sunday
priority:
owner: somebody
---

# Log in

## Objective
People can log in.

<!-- not this -->
By password.

## Acceptance Criteria
- [ ] A wrong password is refused
  - [x] and counted
- [~] Tokens
  expire

\`\`\`
- [x] not one
\`\`\`

## Technical Tasks
1. [/] Write it
2. [x] Test it

## Review Comments
Fine.
`;
