import { factsInBody } from '#wire/facts-in-request-path.ts'
import { fileSize, type FileSize } from '#wire/bound/file-token-size.ts'
import { textOf, type ByteText } from '#wire/text/byte-text.ts'
import { formType } from '#wire/text/form-parts.ts'
import type { Steps } from '#wire/text/computation-with-pauses.ts'
import { splice } from '#wire/text/apply-edits.ts'
import { isFault, mustBe, unlessRefused, type RequestFault } from '#wire/wire-request.ts'
import { modelLengthMax } from '#wire/model-name.ts'
import { formOf, valueOf, type Form } from './request-in-form.ts'

/** An upload of a file, as a form (docs/reference/wires.md "Files"). */
export interface FileUpload {
  /** The model name selects the account. Null if the form has none. */
  readonly model: string | null
  readonly filename: string
  /** Null in Anthropic's format, which has no purposes. */
  readonly purpose: string | null
  readonly bytes: number
  readonly size: FileSize
  readonly body: ByteText
  readonly contentType: string
}

/** Reads the size of the file in steps. @param hasPurpose whether the format has purposes */
export function* parseFileUpload(
  body: ByteText,
  boundary: string,
  hasPurpose: boolean,
): Steps<FileUpload | RequestFault> {
  const path = { ...factsInBody, boundary }
  const form = formOf(body, path, fileNames, { name: 'file', filename: 'file', value: '' })
  if (isFault(form)) return form
  const upload = unlessRefused(() => parse(form, hasPurpose))
  if (isFault(upload)) return upload
  const { content, ...rest } = upload
  return { ...rest, bytes: content.length, size: yield* fileSize(content) }
}

const fileNames: ReadonlySet<string> = new Set(['file'])

interface UnreadUpload extends Omit<FileUpload, 'bytes' | 'size'> {
  readonly content: ByteText
}

function parse(form: Form, hasPurpose: boolean): UnreadUpload {
  const [file] = form.files
  if (file === undefined) return mustBe('file', 'a file')
  const model = valueOf(form, 'model')
  if (model !== null && (model === '' || model.length > modelLengthMax))
    mustBe('model', `the name of a model of this application, of at most ${modelLengthMax} characters`)
  const own = form.fields.filter(({ name }) => ownFields.has(name))
  return {
    model,
    filename: textOf(file.filename ?? ''),
    purpose: hasPurpose ? purposeOf(valueOf(form, 'purpose')) : null,
    content: form.text.slice(file.start, file.end),
    body: splice(
      form.text,
      own.map(({ from, to }) => ({ start: from, end: to, text: '' })),
    ),
    contentType: formType(form.boundary),
  }
}

const ownFields: ReadonlySet<string> = new Set(['model', 'svc'])

function purposeOf(purpose: string | null): string {
  if (purpose === null || !purposes.includes(purpose))
    mustBe(
      'purpose',
      `one of ${purposes.join(', ')}, because files are stored only for use in requests and batches`,
    )
  return purpose
}

const purposes: readonly string[] = ['user_data', 'assistants', 'vision', 'batch']
