import { useState, type ReactNode } from 'react'
import type { Model } from '#sdk/generated/types.ts'
import { Button, IconButton } from '#web/ui/button.tsx'
import { Field, FormBody, inputClass, TextField, useForm, type Form } from '#web/ui/form.tsx'
import { CloseIcon } from '#web/ui/icons.tsx'
import { Sheet } from '#web/ui/dialog-sheet-and-menu.tsx'
import { Note } from '#web/ui/status-notes-and-placeholders.tsx'
import { toast } from '#web/ui/toast.tsx'
import { useAllRows } from '../../load-all-rows.ts'
import { useChange } from '../../operations/use-operation.ts'
import { CopyAs } from '../../copy-as-code.tsx'
import { modelNameFault } from '../../help-and-errors-of-fields.ts'
import { useModelsOf } from '../../name-suggestions.ts'
import { ChangedMeanwhile } from '../../forms-with-revision.tsx'
import { useSetSearch } from '../../url-parameters.ts'
import { Go } from '../../shell/console-links.tsx'
import { sourcesTitle, type Source } from './price-list-rows.ts'

export function NewModelSheet({ onClose }: { readonly onClose: () => void }): ReactNode {
  const setSearch = useSetSearch()
  return (
    <Sheet
      isOpen
      onClose={onClose}
      title="Add model"
      about="The model is served as soon as one of its sources has a price."
    >
      <SourceForm onCancel={onClose} onDone={(name) => setSearch({ act: null, open: name })} />
    </Sheet>
  )
}

type Values = { name: string; outputTokens: string; sources: string }

export function SourceForm({
  ifMatch = {},
  model,
  onCancel,
  onDone,
  onReload = () => {},
}: {
  readonly model?: Model
  readonly ifMatch?: { readonly ifMatch?: string }
  readonly onCancel: () => void
  readonly onDone: (name: string) => void
  readonly onReload?: () => void
}): ReactNode {
  const add = useChange('models.add')
  const [revision] = useState(ifMatch)
  const isNew = model === undefined
  const accounts = useAllRows('providers.list')
  const labels = accounts.data?.rows.map(({ label }) => label) ?? []
  const form = useForm<Values>({
    draft: model ? `model ${model.name}` : 'new model',
    initial: {
      name: model?.name ?? '',
      outputTokens: String(model?.ceilings.outputTokens ?? ''),
      sources: JSON.stringify(model?.sources ?? [{ provider: '', model: '' }]),
    },
    check: (values) => ({
      ...nameFault(values.name),
      ...(values.outputTokens !== '' &&
        !/^[1-9]\d{0,7}$/.test(values.outputTokens) && {
          outputTokens: 'Enter a whole number from 1 to 10000000.',
        }),
      ...(sourcesOf(values).some((source) => source.provider === '' || source.model.trim() === '') && {
        sources: 'Choose an account and a model for each source.',
      }),
    }),
    async send(values) {
      await add.mutateAsync({ ...inputOf(values, isNew), ...revision, isNew })
      toast(model ? `Saved ${values.name}` : `Added ${values.name}`)
      onDone(values.name)
    },
    ifExists: isNew
      ? { name: 'name', fault: 'A model with this name already exists. Enter another name.' }
      : undefined,
    fieldOf: { 'ceilings.outputTokens': 'outputTokens' },
  })
  if (accounts.data && labels.length === 0) {
    return (
      <Note
        title="No provider accounts yet"
        action={
          <Go to="/providers" search={{ act: 'new' }}>
            Connect account
          </Go>
        }
      >
        Requests for a model name are sent to models of your provider accounts. In test mode, you can use the
        built-in simulator.
      </Note>
    )
  }
  return (
    <FormBody form={form} action={model ? 'Save sources' : 'Add model'} onCancel={onCancel}>
      {!model && (
        <TextField
          form={form}
          name="name"
          label="Name"
          help="The name that end users request, like acme/fast. End users don't see the sources."
          maxLength={128}
        />
      )}
      <Sources form={form} labels={labels} />
      <TextField
        form={form}
        name="outputTokens"
        label="Output tokens to hold"
        help="If a request sets no output maximum, money is held for this number of output tokens. Leave empty for the gateway's default."
        inputMode="numeric"
        isOptional
      />
      <ChangedMeanwhile failure={form.failure} onReload={onReload} />
      <div>
        <CopyAs operation="models.add" input={inputOf(form.values, isNew)} />
      </div>
    </FormBody>
  )
}

function nameFault(text: string): { name?: string } {
  const fault = modelNameFault(text)
  return fault === undefined ? {} : { name: fault }
}

function sourcesOf({ sources }: Values): Source[] {
  return JSON.parse(sources) as Source[]
}

/** @param isNew if false, an empty ceiling removes the stored ceiling */
function inputOf(
  values: Values,
  isNew: boolean,
): { name: string; sources: Source[]; ceilings?: { outputTokens: number } | null } {
  return {
    name: values.name,
    sources: sourcesOf(values).map(({ model, provider }) => ({ provider, model: model.trim() })),
    ...(values.outputTokens === ''
      ? !isNew && { ceilings: null }
      : { ceilings: { outputTokens: Number(values.outputTokens) } }),
  }
}

function Sources({
  form,
  labels,
}: {
  readonly form: Form<Values>
  readonly labels: readonly string[]
}): ReactNode {
  const sources = sourcesOf(form.values)
  const put = (next: readonly Source[]): void => form.set('sources', JSON.stringify(next))
  const only = labels.length === 1 ? labels[0] : undefined
  const move = (from: number, to: number): void => {
    const next = [...sources]
    const [taken] = next.splice(from, 1)
    if (taken) next.splice(to, 0, taken)
    put(next)
  }
  return (
    <fieldset className="flex flex-col gap-3">
      <legend className="mb-1 text-13 font-medium">{sourcesTitle}</legend>
      {sources.map((source, at) => (
        // oxlint-disable-next-line react/no-array-index-key -- a source has no ID
        <div key={at} className="flex flex-wrap items-end gap-2 border-b border-line pb-3">
          <SourceFields
            source={source}
            labels={labels}
            at={at}
            only={only}
            onChange={(next) => put(sources.map((one, place) => (place === at ? next : one)))}
          />
          <span className="flex pb-1">
            <IconButton
              label={`Move source ${at + 1} up`}
              disabled={at === 0}
              onClick={() => move(at, at - 1)}
            >
              <span aria-hidden>↑</span>
            </IconButton>
            <IconButton
              label={`Move source ${at + 1} down`}
              disabled={at === sources.length - 1}
              onClick={() => move(at, at + 1)}
            >
              <span aria-hidden>↓</span>
            </IconButton>
            <IconButton
              label={`Remove source ${at + 1}`}
              disabled={sources.length === 1}
              onClick={() => put(sources.filter((_, place) => place !== at))}
            >
              <CloseIcon />
            </IconButton>
          </span>
        </div>
      ))}
      {form.faults.sources !== undefined && (
        <p role="alert" className="text-13 text-negative">
          {form.faults.sources}
        </p>
      )}
      <div>
        <Button
          size="small"
          disabled={sources.length >= 16}
          onClick={() => put([...sources, { provider: only ?? '', model: '' }])}
        >
          Add source
        </Button>
      </div>
    </fieldset>
  )
}

function SourceFields({
  at,
  labels,
  onChange,
  only,
  source,
}: {
  readonly source: Source
  readonly labels: readonly string[]
  readonly at: number
  readonly only: string | undefined
  readonly onChange: (next: Source) => void
}): ReactNode {
  const provider = source.provider === '' ? (only ?? '') : source.provider
  const models = useModelsOf(provider)
  const list = `models-of-source-${at}`
  return (
    <>
      <div className="min-w-32 flex-1">
        <Field label={`Account ${at + 1}`}>
          {(control) => (
            <select
              {...control}
              className={inputClass}
              value={provider}
              onChange={(event) => onChange({ ...source, provider: event.target.value })}
            >
              <option value="">Choose an account</option>
              {labels.map((label) => (
                <option key={label} value={label}>
                  {label}
                </option>
              ))}
            </select>
          )}
        </Field>
      </div>
      <div className="min-w-48 flex-2">
        <Field label={`Model ${at + 1}`}>
          {(control) => (
            <>
              <input
                {...control}
                className={inputClass}
                value={source.model}
                list={list}
                autoComplete="off"
                spellCheck={false}
                maxLength={200}
                placeholder="Provider’s model ID"
                onChange={(event) => onChange({ provider, model: event.target.value })}
              />
              <datalist id={list}>
                {models.map((model) => (
                  <option key={model} value={model} />
                ))}
              </datalist>
            </>
          )}
        </Field>
      </div>
    </>
  )
}
