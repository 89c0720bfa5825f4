import type { JsonObject } from '#wire/text/json-values.ts'
import type { Tool } from '#convert/neutral-format.ts'

/**
 * Returns the function that replaces the client's memory tool at other vendors. The arguments of the function are the
 * input of the client's own tool, so calls and their history need no conversion. Null if the type is not a memory tool.
 */
export function functionOfMemory(type: string): Pick<Tool, 'description' | 'parameters'> | null {
  return type === 'memory_20250818' ? { description, parameters } : null
}

const description = [
  'Reads and writes files in the directory /memories, which stay available in later conversations.',
  'View the directory before you start a task, and record your progress in it.',
].join(' ')

const text = { type: 'string' }
const integer = { type: 'integer' }

/** See docs/reference/wires.md "Memory tool". */
const parameters: JsonObject = {
  type: 'object',
  properties: {
    command: { type: 'string', enum: ['view', 'create', 'str_replace', 'insert', 'delete', 'rename'] },
    path: { ...text, description: 'The file or directory, for all commands except rename.' },
    view_range: { type: 'array', items: integer, minItems: 2, maxItems: 2, description: 'Lines to view.' },
    file_text: { ...text, description: 'The text of the file that create writes.' },
    old_str: { ...text, description: 'The text that str_replace replaces.' },
    new_str: { ...text, description: 'The text that str_replace writes.' },
    insert_line: { ...integer, description: 'The line after which insert writes; 0 for the beginning.' },
    insert_text: { ...text, description: 'The text that insert writes.' },
    old_path: { ...text, description: 'The path that rename changes.' },
    new_path: { ...text, description: 'The new path of rename.' },
  },
  required: ['command'],
}
