import { errors } from '#domain/errors.ts'
import { operations } from '#operations/index.ts'
import type { Operation } from '#operations/kernel/declare-operation.ts'
import { putRowsOf, type PutRow } from '#operations/kernel/put-fields.ts'

/** The reference of the fields that a PUT keeps and removes, from the declarations in each operation. */
export function putReference(): string {
  const rows = operations.flatMap((operation) => {
    const fields = putRowsOf(operation.input.body)
    return fields === null ? [] : [{ operation, fields }]
  })
  return `${[head, table(rows.map(rowOf)), foot].join('\n\n')}\n`
}

const head = `# Creating and changing with PUT

Every \`PUT\` request creates the resource that its path names, or changes the existing resource. All \`PUT\` operations
and \`bundles.include\` follow the same rule:

- A field that the request omits keeps its current value. Defaults apply only when the resource is created.
- Null removes the value. If a value must exist, null resets it to its default.
- An object or a list is one value. The value in the request replaces the whole stored value.
- A request that creates a resource must have the required fields. Every request must have the fields that the table
  marks with "always". Required fields cannot be null.

A repeated request therefore changes nothing, and a request with one field changes one field. To create a resource but
never change an existing resource, send \`If-None-Match: *\`. To avoid overwriting a change of another client, send the
resource's \`ETag\` as \`If-Match\`. If the resource has no ETag (for example, end users), both headers are rejected with
400 \`invalid_request\`.

\`npm run generate\` writes this page from the declarations of the operations.`

const foot = `The items of the lists \`models\`, \`routers\`, \`bundles\`, \`outcomes\` and \`teams\` of \`apps.apply\` follow the same rule. An item
changes the stored item of the same name, and omitted fields keep their values.`

const titles = [
  'Operation',
  'Required on creation',
  'Kept if omitted',
  'Removed by null',
  'Reset by null',
  'Conflicts (409)',
]

function rowOf({
  fields,
  operation,
}: {
  readonly operation: Operation
  readonly fields: readonly PutRow[]
}): readonly string[] {
  const named = (isIn: (row: PutRow) => boolean, spell = ({ name }: PutRow) => `\`${name}\``): string =>
    fields.filter(isIn).map(spell).join(', ')
  const conflicts = operation.errors.filter((code) => errors[code].status === 409)
  return [
    `\`${operation.id}\`<br>\`${operation.method} ${operation.path}\``,
    named(
      ({ whenCreated }) => whenCreated === 'required',
      ({ name, whenOmitted }) => (whenOmitted === 'always' ? `\`${name}\` (always)` : `\`${name}\``),
    ),
    named(({ whenOmitted }) => whenOmitted === 'kept'),
    named(({ whenNull }) => whenNull === 'removed'),
    named(
      ({ whenNull }) => typeof whenNull === 'object',
      ({ name, whenNull }) => `\`${name}\` to ${typeof whenNull === 'object' ? whenNull.resetTo : ''}`,
    ),
    [...new Set(conflicts)].map((code) => `\`${code}\``).join(', '),
  ]
}

function table(rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [line(titles), line(titles.map(() => '---')), ...rows.map(line)].join('\n')
}
