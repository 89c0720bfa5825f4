/** In Python, values that callers send are TypedDicts, and values that the server returns are models. */
import assert from 'node:assert/strict'
import type { FieldModel, TypeModel } from '../sdk/type-model.ts'
import { pythonName, upperFirst, wireName } from './python-names.ts'

export type Direction = 'sent' | 'answered'

export interface Printing {
  readonly direction: Direction
  /** The prefix is '' in the file of the shared types itself. */
  readonly models: string
  readonly params: string
  /** Names of the shared types that the server returns. */
  readonly answered: ReadonlySet<string>
  /** Receives the classes of objects that have no name in the API. */
  readonly declare: (text: string) => void
}

/** @param name the name of the class, used if the type is an object without a name of its own */
export function typeText(type: TypeModel, name: string, printing: Printing): string {
  const isSent = printing.direction === 'sent'
  switch (type.kind) {
    case 'text':
    case 'day':
      return 'str'
    case 'amount':
      return isSent ? 'Amount' : 'str'
    case 'time':
      return isSent ? 'Time' : 'str'
    case 'integer':
      return 'int'
    case 'number':
      return 'float'
    case 'boolean':
      return 'bool'
    case 'null':
      return 'None'
    case 'unknown':
      return isSent ? 'object' : 'Any'
    case 'constant':
      return `Literal[${literal(type.value)}]`
    case 'words': {
      const words = `Literal[${type.words.map(literal).join(', ')}]`
      return isSent ? words : `${words} | str`
    }
    case 'list':
      return `${isSent ? 'Sequence' : 'list'}[${typeText(type.item, name, printing)}]`
    case 'map':
      return `${isSent ? 'Mapping' : 'dict'}[str, ${typeText(type.value, name, printing)}]`
    case 'named': {
      if (!isSent) return `${printing.models}${type.name}`
      const sent = `${printing.params}${type.name}Param`
      // Callers may also send an object that the server has returned to them.
      return printing.answered.has(type.name) ? `${sent} | types.${type.name}` : sent
    }
    case 'union':
      return [...new Set(type.of.map((one) => typeText(one, name, printing)))].join(' | ')
    case 'object':
      printing.declare(
        isSent ? typedDict(name, '', type.fields, printing) : model(name, '', type.fields, printing),
      )
      return name
  }
}

export function typedDict(
  name: string,
  description: string,
  fields: readonly FieldModel[],
  printing: Printing,
): string {
  const lines = fields.map((field) => {
    const own = pythonName(field.name)
    assert.equal(wireName(own), field.name, `${name}: ${field.name} is not what wire_name makes of ${own}`)
    const type = typeText(field.type, `${name}${upperFirst(field.name)}`, printing)
    return `    ${own}: ${field.isRequired ? type : `NotRequired[${type}]`}\n${docstring([saying(field)], '    ')}`
  })
  return `class ${name}(TypedDict):\n${docstring([description], '    ')}${lines.join('') || '    pass\n'}`
}

export function model(
  name: string,
  description: string,
  fields: readonly FieldModel[],
  printing: Printing,
): string {
  const names = fields.map((field) => [pythonName(field.name), field.name] as const)
  assert.equal(new Set(names.map(([own]) => own)).size, names.length, `${name} has two fields of one name`)
  const odd = names.filter(([own, wire]) => wireName(own) !== wire)
  const wires = odd.map(([own, wire]) => `        ${literal(own)}: ${literal(wire)},\n`).join('')
  const lines = fields.map((field) => {
    const own = pythonName(field.name)
    assert(!ownNames.has(own), `${name}.${own} is a name of Document or Page`)
    const type = typeText(field.type, `${name}${upperFirst(field.name)}`, printing)
    const orNone = field.isRequired || / \| None$|^Any$|^None$/.test(type) ? '' : ' | None'
    return `    ${own}: ${type}${orNone}\n${docstring([saying(field)], '    ')}`
  })
  return `class ${name}(Document):\n${docstring([description], '    ')}${wires && `    _wire: ClassVar[Mapping[str, str]] = {\n${wires}    }\n`}${lines.join('') || '    pass\n'}`
}

/** Names of methods in sdk/python/src/tollgate_client/document.py and page.py, which no field may have. */
const ownNames: ReadonlySet<string> = new Set(['to_dict', 'pages', 'next_page'])

function saying({ description, isDeprecated }: FieldModel): string {
  return isDeprecated ? `Deprecated. ${description}` : description
}

/** The docstring ends with a line break, and is '' without paragraphs. */
export function docstring(paragraphs: readonly string[], indent: string): string {
  const said = paragraphs
    .filter((paragraph) => paragraph !== '')
    .map((paragraph) => paragraph.replaceAll('\\', '\\\\').replaceAll('"""', '\\"\\"\\"'))
  if (said.length === 0) return ''
  const lines = said.flatMap((paragraph, at) => [
    ...(at > 0 ? [''] : []),
    ...paragraph
      .split('\n')
      .flatMap((line, first) => wrapped(line, 105 - indent.length - (at + first === 0 ? 3 : 0))),
  ])
  const [only = ''] = lines
  const text = lines.map((line, at) => (line === '' || at === 0 ? line : `${indent}${line}`)).join('\n')
  // A quote at the end of the text would end the docstring too early, so a space follows it.
  const ending =
    lines.length === 1 && indent.length + only.length <= 100
      ? /["\\]$/.test(only)
        ? ' '
        : ''
      : `\n${indent}`
  return `${indent}"""${text}${ending}"""\n`
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
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  return JSON.stringify(value)
}
