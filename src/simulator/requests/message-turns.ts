import type { Complaints } from '#simulator/complaint.ts'
import { isObject, objectOf, objectsOf, stringOf, type JsonObject } from '#simulator/loose-json.ts'
import { openSeal } from '#simulator/signatures.ts'

/** What one side says until the other one does. */
export interface Turn {
  readonly role: string
  readonly blocks: readonly JsonObject[]
}

/** Turns of one role in a row are one to Anthropic; a text stands for one block of text. */
export function mergedTurns(messages: readonly JsonObject[], complaints: Complaints): Turn[] {
  const turns: { role: string; blocks: JsonObject[] }[] = []
  for (const [index, { role, content }] of messages.entries()) {
    const name = stringOf(role)
    complaints.unless(
      roles.has(name),
      `messages.${index}.role: Input should be 'user', 'assistant' or 'system'`,
    )
    complaints.unless(
      typeof content === 'string' || Array.isArray(content),
      `messages.${index}.content: Input should be a valid list`,
    )
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : objectsOf(content)
    complaints.unless(
      blocks.length > 0 || (name === 'assistant' && index === messages.length - 1),
      `messages.${index}: all messages must have non-empty content except for the optional final assistant message`,
    )
    const last = turns.at(-1)
    if (last?.role === name) last.blocks.push(...blocks)
    else turns.push({ role: name, blocks: [...blocks] })
  }
  complaints.unless(turns[0]?.role !== 'assistant', 'messages: first message must use the "user" role')
  return turns
}

const roles = new Set(['user', 'assistant', 'system'])

/** Calls, results, thoughts and texts stand where Anthropic wants them, and are what it takes. */
export function checkTurns(turns: readonly Turn[], complaints: Complaints): void {
  let called = new Set<string>()
  const everCalled = new Set<string>()
  for (const [index, { role, blocks }] of turns.entries()) {
    for (const [at, block] of blocks.entries()) {
      checkBlock(block, role, `messages.${index}.content.${at}`, complaints)
    }
    if (role === 'system') continue
    const results = blocks.filter(({ type }) => type === 'tool_result').map((block) => block['tool_use_id'])
    for (const [at, id] of results.entries()) {
      complaints.unless(
        called.delete(stringOf(id)),
        `messages.${index}.content.${at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${stringOf(id)}. ` +
          'Each `tool_result` block must have a corresponding `tool_use` block in the previous message.',
      )
    }
    const firstOther = blocks.findIndex(({ type }) => type !== 'tool_result')
    const isResultLate =
      firstOther >= 0 && blocks.slice(firstOther).some(({ type }) => type === 'tool_result')
    // Whatever stands before the results hides them from Anthropic, which then misses them.
    const missing = isResultLate ? results.map(stringOf) : [...called]
    complaints.unless(
      missing.length === 0,
      `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(', ')}. ` +
        'Each `tool_use` block must have a corresponding `tool_result` block in the next message.',
    )
    const uses = blocks.filter(({ type }) => type === 'tool_use').map(({ id }) => stringOf(id))
    for (const id of uses) {
      complaints.unless(!everCalled.has(id), 'messages: `tool_use` ids must be unique')
      everCalled.add(id)
    }
    called = new Set(uses)
  }
  complaints.unless(
    called.size === 0,
    `messages: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${[...called].join(', ')}.`,
  )
  const last = turns.at(-1)
  const lastText = last?.role === 'assistant' ? stringOf(last.blocks.at(-1)?.['text']) : ''
  complaints.unless(
    lastText === lastText.trimEnd(),
    'messages: final assistant content cannot end with trailing whitespace',
  )
}

function checkBlock(block: JsonObject, role: string, path: string, complaints: Complaints): void {
  const type = stringOf(block['type'])
  const isAllowed = (blockTypes[role] ?? []).includes(type)
  complaints.unless(
    isAllowed,
    `${path}: Input tag '${type}' found using 'type' does not match any of the expected tags`,
  )
  switch (type) {
    case 'text': {
      const text = block['text']
      complaints.unless(typeof text === 'string', `${path}.text.text: Input should be a valid string`)
      complaints.unless(text !== '', 'messages: text content blocks must be non-empty')
      complaints.unless(
        stringOf(text).trim() !== '',
        'messages: text content blocks must contain non-whitespace text',
      )
      return
    }
    case 'image':
      return checkImage(objectOf(block['source']), path, complaints)
    case 'thinking': {
      const thoughts = openSeal('signature', block['signature'])
      // With `display: omitted` the text is empty and the signature still good.
      const isOwn = thoughts !== null && (block['thinking'] === thoughts || block['thinking'] === '')
      complaints.unless(isOwn, `${path}: Invalid \`signature\` in \`thinking\` block`)
      return
    }
    case 'redacted_thinking':
      complaints.unless(
        openSeal('redacted', block['data']) !== null,
        `${path}: Invalid \`data\` in \`redacted_thinking\` block`,
      )
      return
    case 'tool_use':
      complaints.unless(
        /^[\w-]+$/.test(stringOf(block['id'])),
        `${path}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`,
      )
      complaints.unless(
        isObject(block['input']),
        `${path}.tool_use.input: Input should be a valid dictionary`,
      )
      return
    case 'tool_result':
      for (const [at, part] of objectsOf(block['content']).entries()) {
        checkBlock(part, 'tool', `${path}.tool_result.content.${at}`, complaints)
      }
  }
}

const blockTypes: Readonly<Record<string, readonly string[]>> = {
  user: ['text', 'image', 'document', 'search_result', 'tool_result'],
  assistant: ['text', 'thinking', 'redacted_thinking', 'tool_use'],
  system: ['text'],
  tool: ['text', 'image', 'document', 'search_result', 'tool_reference'],
}

function checkImage({ type, media_type, data, url }: JsonObject, path: string, complaints: Complaints): void {
  if (type === 'url')
    return complaints.unless(typeof url === 'string', `${path}.image.source.url: Field required`)
  complaints.unless(type === 'base64', `${path}.image.source: Input tag '${String(type)}' does not match`)
  complaints.unless(
    imageTypes.has(stringOf(media_type)),
    `${path}.image.source.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'`,
  )
  complaints.unless(
    typeof data === 'string' && /^[A-Za-z0-9+/]+={0,2}$/.test(data),
    `${path}.image.source.base64: invalid base64 data`,
  )
}

const imageTypes = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp'])

/** A model that thinks wants its own thoughts back with the results of the tools that it called (wire.md 8). */
export function checkThoughtsOfTail(turns: readonly Turn[], complaints: Complaints): void {
  const isTail = turns.at(-1)?.blocks.some(({ type }) => type === 'tool_result')
  const assistant = isTail === true ? turns.at(-2) : undefined
  if (assistant?.role !== 'assistant') return
  const first = stringOf(assistant.blocks[0]?.['type'])
  complaints.unless(
    first === 'thinking' || first === 'redacted_thinking',
    `messages.${turns.length - 2}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${first}\`. ` +
      'When `thinking` is enabled, a final `assistant` message must start with a thinking block.',
  )
}
