import { isAbsent, isObject, type JsonObject, type JsonValue } from '#wire/text/json-values.ts'
import { mustBe, refuse } from '#wire/wire-request.ts'
import type { Part, TextPart, Turn } from './neutral-format.ts'

/** Joins neighboring turns of the same role, and omits empty turns. Returns the same list if there is neither. */
export function joinTurns(turns: readonly Turn[]): readonly Turn[] {
  if (turns.every(({ parts, role }, i) => parts.length > 0 && role !== turns[i - 1]?.role)) return turns
  const joined: { role: Turn['role']; parts: Part[] }[] = []
  for (const { role, parts } of turns) {
    if (parts.length === 0) continue
    const last = joined.at(-1)
    if (last?.role === role) last.parts.push(...parts)
    else joined.push({ role, parts: [...parts] })
  }
  return joined
}

/** A single part of the message may become several parts. Returns an empty list if the content is absent. */
export function readContent<Read extends Part>(
  content: JsonValue,
  path: string,
  readPart: (item: JsonObject, path: string) => Read | readonly Read[],
): readonly (Read | TextPart)[] {
  if (isAbsent(content)) return []
  if (typeof content === 'string') return [{ kind: 'text', text: content, cache: null }]
  const items: readonly JsonValue[] = Array.isArray(content)
    ? content
    : mustBe(path, 'a string or a list of parts')
  return items.flatMap((item, i): Read | readonly Read[] =>
    isObject(item) ? readPart(item, `${path}.${i}`) : mustBe(`${path}.${i}`, 'an object'),
  )
}

export function textsOnly(parts: readonly Part[], path: string): readonly TextPart[] {
  const texts = parts.filter((part) => part.kind === 'text')
  if (texts.length < parts.length) refuse('invalid_request', path, `The field ${path} can contain only text.`)
  return texts
}

/** Marks text that records a tool which the provider ran, so that the text is not read as the model's own answer. */
export function asRecord(text: string): string {
  return `\`\`\`\n${text}\n\`\`\``
}

export function asMarkedUserTurn({ parts }: Pick<Turn, 'parts'>, mark: string): Turn {
  return {
    role: 'user',
    parts: parts.map((part) =>
      part.kind === 'text' ? { ...part, text: `<${mark}>\n${part.text}\n</${mark}>` } : part,
    ),
  }
}
