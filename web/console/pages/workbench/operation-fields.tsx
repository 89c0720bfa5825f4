/** Empty fields are omitted from the request. */
import type { ReactNode } from 'react'
import type { Flag, Operation } from '#cli/operations/operation-table.ts'
import { CheckField, SelectField, TextAreaField, TextField, type Form } from '#web/ui/form.tsx'
import { WithCode } from './text-with-code.tsx'
import { fieldsOf, nullOf, type OperationValues } from './form-values-of-operation.ts'

export function OperationFields({
  file,
  form,
  onFile,
  operation,
}: {
  readonly operation: Operation
  readonly form: Form<OperationValues>
  readonly file: File | null
  readonly onFile: (file: File | null) => void
}): ReactNode {
  const fields = fieldsOf(operation)
  const required = fields.filter(({ isRequired }) => isRequired)
  const others = fields.filter(({ isRequired }) => isRequired !== true)
  return (
    <>
      {operation.body === 'file' && (
        <label className="flex flex-col gap-1 text-13 font-medium">
          File
          <input
            type="file"
            accept={operation.fileTypes?.join(',')}
            className="text-13 font-normal"
            onChange={(event) => onFile(event.target.files?.[0] ?? null)}
          />
          <span className="font-normal text-ink-3">{file ? file.type : operation.fileTypes?.join(', ')}</span>
        </label>
      )}
      {required.map((flag) => (
        <OneField key={flag.name} flag={flag} form={form} />
      ))}
      {others.length > 0 && (others.length <= 8 || required.length === 0) && (
        <Several fields={others} form={form} />
      )}
      {others.length > 8 && required.length > 0 && (
        <details>
          <summary className="cursor-pointer text-13 text-ink-2">{others.length} optional fields</summary>
          <div className="mt-3 flex flex-col gap-4">
            <Several fields={others} form={form} />
          </div>
        </details>
      )}
      {fields.length === 0 && operation.body !== 'file' && (
        <p className="text-13 text-ink-2">This operation takes only the application and the mode.</p>
      )}
    </>
  )
}

function Several({
  fields,
  form,
}: {
  readonly fields: readonly Flag[]
  readonly form: Form<OperationValues>
}): ReactNode {
  return fields.map((flag) => <OneField key={flag.name} flag={flag} form={form} />)
}

function OneField({ flag, form }: { readonly flag: Flag; readonly form: Form<OperationValues> }): ReactNode {
  const { about, isNullable, isRequired, name } = flag
  const isNull = form.values[nullOf(name)] === true
  const common = {
    form,
    name,
    label: <code>{name}</code>,
    help: <WithCode text={[about, kindHelp(flag)].filter((part) => part !== '').join(' ')} />,
    ...(isRequired !== true && { isOptional: true }),
  }
  return (
    <div className="flex flex-col gap-2">
      {flag.isGroup !== true && !isNull && <Control flag={flag} common={common} />}
      {isNullable === true && (
        <CheckField
          form={form}
          name={nullOf(name)}
          label={
            <>
              Send null for <code>{name}</code>
            </>
          }
        />
      )}
    </div>
  )
}

type Common = Omit<Parameters<typeof TextField<OperationValues>>[0], 'suggestions'>

function Control({
  common: { form, help, isOptional, label, name },
  flag,
}: {
  readonly flag: Flag
  readonly common: Common
}): ReactNode {
  const given = { form, help, label, name, ...(isOptional !== undefined && { isOptional }) }
  const words = flag.kind === 'boolean' ? ['true', 'false'] : flag.words
  if (words && flag.isList !== true) {
    return (
      <SelectField
        {...given}
        options={[
          ['', flag.isRequired ? 'Choose' : 'Omitted'],
          ...words.map((word) => [word, word] as const),
        ]}
      />
    )
  }
  if (flag.isList === true || flag.isMap === true || flag.kind === 'json') {
    return <TextAreaField {...given} rows={3} isMono />
  }
  return <TextField {...given} className="font-mono text-13" />
}

function kindHelp({ fields, isList, isMap, kind, words }: Flag): string {
  if (isMap === true) return 'Enter one name=value per line.'
  if (kind === 'json' && fields) {
    const names = fields.map(({ name }) => name).join(', ')
    return isList === true
      ? `Enter a JSON list, or one item per line as field=value,… with the fields ${names}.`
      : `Enter JSON with the fields ${names}.`
  }
  if (kind === 'json') return 'Enter JSON.'
  if (isList === true)
    return words
      ? `Enter one value per line. Allowed values: ${words.join(', ')}.`
      : 'Enter one value per line.'
  if (kind === 'micros') return 'Enter micros, such as 250000, or dollars, such as $0.25.'
  if (kind === 'time') return 'Enter an ISO 8601 time, or a time from now, such as +30d or -12h.'
  return ''
}
