import { byteTextOf } from '#wire/text/byte-text.ts'
import { member, type Json, type Node } from '#wire/text/json-tape.ts'
import { itemsOf, typeOf } from '#wire/text/members-of-tape-nodes.ts'
import type { Edit } from '#wire/text/apply-edits.ts'
import type { ContainerIds } from '#wire/types-of-replaced-ids.ts'
import { spanOf, textAt } from '#wire/wire-request.ts'

/**
 * Returns the IDs of files that code created, in a block with the results of code (docs/reference/wires.md "Answers on
 * the messages wire").
 */
export function codeFilesIn(json: Json, block: Node): readonly Node[] {
  if (!codeResults.has(typeOf(json, block, ''))) return []
  return itemsOf(json, member(json, member(json, block, 'content'), 'content'))
    .map((output) => member(json, output, 'file_id'))
    .filter((id) => textAt(json, id) !== null)
}

const codeResults: ReadonlySet<string> = new Set([
  'code_execution_tool_result',
  'bash_code_execution_tool_result',
])

export function codeFileEdits(json: Json, block: Node, containers: ContainerIds): readonly Edit[] {
  return codeFilesIn(json, block).map((node) => ({
    ...spanOf(json, node),
    text: byteTextOf(JSON.stringify(containers.fileIdOf(textAt(json, node) ?? ''))),
  }))
}
