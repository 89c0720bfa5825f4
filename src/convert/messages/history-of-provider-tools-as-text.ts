/**
 * Reads the blocks in which a conversation records the tools that Anthropic ran. Another model gets the calls and
 * results of these tools as text, because it cannot call the tools (docs/reference/conversions.md "Tools that a
 * provider ran").
 */
import { isObject, listOf, numberOrNull, objectOf, printValue, textOrNull } from '#wire/text/json-values.ts'
import type { JsonObject, JsonValue } from '#wire/text/json-values.ts'
import { nameSet } from '#wire/text/set-of-field-names.ts'
import { refuseForRoute } from '#wire/wire-request.ts'
import { asRecord } from '#convert/turns-and-content.ts'

const calls = nameSet('server_tool_use mcp_tool_use')

export function isServerTool(type: string): boolean {
  return calls.has(type) || Object.hasOwn(results, type)
}

/**
 * Returns the call or the result of a tool that Anthropic ran, as text. Null for a result without text, and for blocks
 * that are meant only for Anthropic. For example, a provider of another wire gets the definitions of all tools, and so
 * needs no search for tools.
 * @throws a fault if only Anthropic can read the result, or if a text cannot express the result
 */
export function textOfServerTool(block: JsonObject, type: string, path: string): string | null {
  const text = calls.has(type) ? textOfCall(block) : (results[type]?.(block.content, path) ?? '')
  return text === '' ? null : asRecord(text)
}

function textOfCall({ input, name }: JsonObject): string {
  const called = textOrNull(name) ?? ''
  if (called.startsWith('tool_search_tool')) return ''
  const { code, command } = objectOf(input)
  const ran = textOrNull(code) ?? (called.startsWith('text_editor') ? null : textOrNull(command))
  return ran ?? `${called} ${printValue(input ?? {})}`
}

const results: Readonly<Record<string, (content: JsonValue, path: string) => string>> = {
  web_search_tool_result: textOfSearch,
  web_fetch_tool_result: textOfPage,
  code_execution_tool_result: textOfOutput,
  bash_code_execution_tool_result: textOfOutput,
  text_editor_code_execution_tool_result: textOfOutput,
  mcp_tool_result: textOfBlocks,
  advisor_tool_result: textOfAdvice,
  tool_search_tool_result: () => '',
  mcp_tool_listing: () => '',
  // The block only states which model wrote the text before it.
  fallback: () => '',
}

function textOfSearch(content: JsonValue): string {
  if (isObject(content)) return textOrNull(content.error_code) ?? ''
  return joined(listOf(content).flatMap((found) => [objectOf(found).title, objectOf(found).url]))
}

function textOfPage(content: JsonValue, path: string): string {
  const { content: page, error_code: error, url } = objectOf(content)
  if (!isObject(page)) return joined([url, error])
  const { data, type } = objectOf(page.source)
  if (type !== 'text') refuseForRoute(path, notText)
  return joined([url, page.title, data])
}

function textOfOutput(content: JsonValue, path: string): string {
  const output = objectOf(content)
  if (output.encrypted_stdout !== undefined) refuseForRoute(path, encrypted)
  const code = numberOrNull(output.return_code) ?? 0
  const text = joined([
    output.stdout,
    output.stderr,
    output.content,
    ...listOf(output.lines),
    output.error_code,
  ])
  return text === '' && code !== 0 ? `exit code ${code}` : text
}

function textOfAdvice(content: JsonValue, path: string): string {
  const { encrypted_content: sealed, error_code: error, text } = objectOf(content)
  if (sealed !== undefined) refuseForRoute(path, encryptedAdvice)
  return joined([text, error])
}

function textOfBlocks(content: JsonValue, path: string): string {
  if (typeof content === 'string') return content
  const blocks = listOf(content).map(objectOf)
  if (blocks.some(({ type }) => type !== 'text')) refuseForRoute(path, notText)
  return joined(blocks.map(({ text }) => text))
}

function joined(lines: readonly JsonValue[]): string {
  return lines.filter((line) => typeof line === 'string' && line !== '').join('\n')
}

const notText =
  'a result that is not text can only be sent to the provider that created it; send its content in a user message'

const encryptedAdvice = 'only the provider that gave the advice can read its encrypted text; omit it'

const encrypted =
  'only the provider that ran the code can read its encrypted output; send the output as text in a user message'
