import { makeSecret, parseSecret } from '#domain/secrets/key-and-token-format.ts'

/** Each number gives another key. */
export function wrongKeyLike(key: string, number: number): string {
  const parsed = parseSecret(key)
  if (parsed === null) throw new Error('the key is not well-formed')
  let left = number
  return makeSecret(parsed, () => {
    const digit = left % 62
    left = Math.floor(left / 62)
    return digit
  }).secret
}
