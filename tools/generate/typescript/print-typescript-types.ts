import type { FieldModel, TypeModel } from '../sdk/type-model.ts'

/**
 * Types of requests contain only known words, and allow a bigint or a Date if the value is unambiguous. Types of
 * responses also allow other words, because a newer server may return them.
 */
export type Direction = 'sent' | 'answered'

/**
 * @param indent indentation of the line that contains the type
 * @param shared prefix for names of shared types
 */
export function typeText(type: TypeModel, direction: Direction, indent: string, shared: string): string {
  const inner = (one: TypeModel): string => typeText(one, direction, indent, shared)
  switch (type.kind) {
    case 'text':
    case 'day':
      return 'string'
    case 'amount':
      return direction === 'sent' ? 'string | bigint' : 'string'
    case 'time':
      return direction === 'sent' ? 'string | Date' : 'string'
    case 'integer':
    case 'number':
      return 'number'
    case 'boolean':
    case 'null':
    case 'unknown':
      return type.kind
    case 'constant':
      return literal(type.value)
    case 'words': {
      const words = type.words.map(literal).join(' | ')
      return direction === 'sent' ? words : `Open<${words}>`
    }
    case 'list': {
      const item = inner(type.item)
      const list = /[|&]/.test(item) && !/^(?:\{[^]*\}|Open<.*>)$/.test(item) ? `(${item})[]` : `${item}[]`
      return direction === 'sent' ? `readonly ${list}` : list
    }
    case 'map':
      return `Record<string, ${inner(type.value)}>`
    case 'named':
      return `${shared}${type.name}`
    case 'union':
      return type.of.map(inner).join(' | ')
    case 'object':
      return `{\n${fieldLines(type.fields, direction, `${indent}  `, shared)}\n${indent}}`
  }
}

export function fieldLines(
  fields: readonly FieldModel[],
  direction: Direction,
  indent: string,
  shared: string,
): string {
  return fields.map((field) => fieldLine(field, direction, indent, shared)).join('\n')
}

function fieldLine(field: FieldModel, direction: Direction, indent: string, shared: string): string {
  const mark = field.isRequired ? '' : '?'
  const type = typeText(field.type, direction, indent, shared)
  // In a request, an undefined input counts as omitted. In a response, each field that is present has a value.
  const orUndefined = direction === 'sent' && !field.isRequired ? ' | undefined' : ''
  const name = /^[A-Za-z_$][\w$]*$/.test(field.name) ? field.name : literal(field.name)
  const tags = field.isDeprecated ? ['@deprecated'] : []
  return `${docComment([field.description, ...tags], indent)}${indent}${name}${mark}: ${type}${orUndefined}`
}

/** The comment ends with a line break, and is '' without paragraphs. */
export function docComment(paragraphs: readonly string[], indent: string): string {
  const said = paragraphs
    .filter((paragraph) => paragraph !== '')
    .map((paragraph) => paragraph.replaceAll('*/', '*\\/'))
  const [only = ''] = said
  if (said.length === 0) return ''
  if (said.length === 1 && !only.includes('\n') && indent.length + only.length <= 100)
    return `${indent}/** ${only} */\n`
  const lines = said.flatMap((paragraph, at) => [
    ...(at > 0 && !paragraph.startsWith('@') ? [''] : []),
    ...paragraph.split('\n').flatMap((line) => wrapped(line, 105 - indent.length)),
  ])
  return `${indent}/**\n${lines.map((line) => `${indent} *${line && ` ${line}`}\n`).join('')}${indent} */\n`
}

function wrapped(text: string, width: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line)
      line = ''
    }
    line += line === '' ? word : ` ${word}`
  }
  return [...lines, line]
}

export function literal(value: string | number | boolean): string {
  return typeof value === 'string'
    ? `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
    : String(value)
}
