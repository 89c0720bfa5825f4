/** Writes values as source code for users to copy. */

/** Quotes a word for a POSIX shell if it contains special characters. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}

interface Spelling {
  readonly none: string
  readonly yes: string
  readonly no: string
  readonly text: (value: string) => string
  readonly object: (fields: readonly (readonly [name: string, code: string])[]) => string
}

const spellings: Readonly<Record<'typescript' | 'python', Spelling>> = {
  typescript: {
    none: 'null',
    yes: 'true',
    no: 'false',
    // JSON has already escaped control characters, so only the quotes must be changed.
    text: (value) =>
      `'${JSON.stringify(value)
        .slice(1, -1)
        .replaceAll(String.raw`\"`, '"')
        .replaceAll("'", String.raw`\'`)}'`,
    object: (fields) =>
      `{ ${fields.map(([name, code]) => `${/^[A-Za-z_$][\w$]*$/.test(name) ? name : spellings.typescript.text(name)}: ${code}`).join(', ')} }`,
  },
  python: {
    none: 'None',
    yes: 'True',
    no: 'False',
    // Python accepts the escapes of JSON.
    text: (value) => JSON.stringify(value),
    object: (fields) => `{${fields.map(([name, code]) => `${JSON.stringify(name)}: ${code}`).join(', ')}}`,
  },
}

/**
 * Returns a JSON value as a literal in the source language. A bigint becomes a decimal string, because the API accepts
 * amounts in that form.
 */
export function literal(language: 'typescript' | 'python', value: unknown): string {
  const { no, none, object, text, yes } = spellings[language]
  if (value === null || value === undefined) return none
  if (typeof value === 'boolean') return value ? yes : no
  if (typeof value === 'bigint') return text(String(value))
  if (typeof value === 'string') return text(value)
  if (typeof value !== 'object') return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map((one) => literal(language, one)).join(', ')}]`
  return object(Object.entries(value).map(([name, one]) => [name, literal(language, one)]))
}

/** Converts a name such as `baseURL` to `base_url`. */
export function snake(name: string): string {
  return name.replaceAll(/[A-Z]+/g, (letters) => `_${letters.toLowerCase()}`)
}
