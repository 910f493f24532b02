/** Who a session is played as. */
export const roles = ["executor", "reviewer"] as const;
export type Role = (typeof roles)[number];
