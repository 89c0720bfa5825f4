/** Maximum tokens that a template may add around a request, around each turn, and between two parts of a turn. */
export const templateTokens = { request: 32, turn: 8, part: 4 } as const
