import { useRef, useState, type ReactNode } from 'react'
import type { AppsApplyInput } from '#sdk/generated/apps.ts'
import type { ConfigurationChange } from '#sdk/generated/types.ts'
import { Button } from '#web/ui/button.tsx'
import { FailureNote } from '#web/ui/failure.tsx'
import { CheckField, FormBody, TextAreaField, useForm } from '#web/ui/form.tsx'
import { download } from '#web/ui/download.ts'
import { toast } from '#web/ui/toast.tsx'
import { useQueryClient } from '@tanstack/react-query'
import { useAct } from '../../open-form-in-url.ts'
import { call, type AnswerOf } from '../../operations/use-operation.ts'
import { ChangedFields } from '../../changed-fields.tsx'
import { CopyAs } from '../../copy-as-code.tsx'
import { reloadAfter } from '../../operations/reload-outdated-responses.ts'
import { ChangedMeanwhile } from '../../forms-with-revision.tsx'
import { scopeOptions, useScope } from '../../application-and-mode.ts'
import { useMay } from '../../sign-in/member-session.ts'
import { actionWords, documentOf, summaryOf } from './parse-configuration-document.ts'

type Applied = AnswerOf<'apps.apply'>

export function ConfigurationPart({
  isArchived,
  slug,
}: {
  readonly slug: string
  readonly isArchived: boolean
}): ReactNode {
  const scope = useScope()
  const may = useMay('developer')
  const [isApplying, apply, endApply] = useAct('apply')
  const [failure, setFailure] = useState<unknown>(null)
  const save = async (): Promise<void> => {
    setFailure(null)
    try {
      const document = await call('apps.export', { slug }, scopeOptions(scope))
      download(`${slug}.json`, `${JSON.stringify(document, null, 2)}\n`, 'application/json')
    } catch (error) {
      setFailure(error)
    }
  }
  return (
    <section className="border-t border-line pt-4">
      <h3 className="text-14 font-semibold">Configuration document</h3>
      <p className="mb-3 text-13 text-ink-2">
        The document contains the name, brand, gateway, models, routers, bundles and outcomes, without
        secrets. The same configuration always exports the same bytes, so you can keep the document under
        version control.
      </p>
      <div className="flex flex-wrap items-center gap-2">
        <Button onClick={() => void save()}>Export document</Button>
        {!isArchived && (
          <Button
            disabled={!may}
            title={may ? undefined : 'Applying a document requires the developer role.'}
            onClick={isApplying ? endApply : apply}
            aria-expanded={isApplying}
          >
            Apply document
          </Button>
        )}
        <CopyAs operation="apps.export" input={{ slug }} />
      </div>
      {failure !== null && (
        <div className="mt-3">
          <FailureNote error={failure} onRetry={() => void save()} />
        </div>
      )}
      {isApplying && may && !isArchived && <Apply slug={slug} onDone={endApply} />}
    </section>
  )
}

interface DryRun {
  readonly applied: Applied
  readonly input: AppsApplyInput
  readonly etag: string | null
}

/** Applies exactly the previewed changes, or nothing if the configuration has changed since the preview. */
function Apply({ onDone, slug }: { readonly slug: string; readonly onDone: () => void }): ReactNode {
  const scope = useScope()
  const queries = useQueryClient()
  const file = useRef<HTMLInputElement>(null)
  const [dryRun, setDryRun] = useState<DryRun | null>(null)
  const edits = useRef(0)
  const [isBusy, setBusy] = useState(false)
  const [failure, setFailure] = useState<unknown>(null)
  const form = useForm({
    draft: `apps.apply ${slug}`,
    initial: { text: '', prune: false },
    check({ text }) {
      const document = documentOf(text)
      return typeof document === 'string' ? { text: document } : {}
    },
    async send({ prune, text }) {
      const document = documentOf(text)
      if (typeof document === 'string') return
      const input = { ...document, slug, prune } as AppsApplyInput
      const editsBefore = edits.current
      // Read the revision before the dry run, so that applying is rejected if the configuration changes afterwards.
      const now = call('apps.export', { slug }, scopeOptions(scope))
      const { etag } = await now.withResponse()
      setFailure(null)
      const applied = await call('apps.apply', { ...input, dryRun: true }, scopeOptions(scope))
      // If the document was changed during the check, the result would be the preview of another document.
      if (edits.current === editsBefore) setDryRun({ applied, input, etag })
    },
  })
  const applyNow = async ({ etag, input }: DryRun): Promise<void> => {
    setBusy(true)
    setFailure(null)
    try {
      const done = await call('apps.apply', input, {
        ...scopeOptions(scope),
        ...(etag !== null && { ifMatch: etag }),
      })
      toast(`Applied: ${summaryOf(done.changes)}`)
      form.reset()
      await reloadAfter(queries, 'apps.apply')
      onDone()
    } catch (error) {
      setFailure(error)
    } finally {
      setBusy(false)
    }
  }
  const change = (name: 'text' | 'prune', value: string | boolean): void => {
    edits.current++
    setDryRun(null)
    form.set(name, value as never)
  }
  const count = dryRun?.applied.changes.filter(({ action }) => action !== 'none').length ?? 0
  const removes = dryRun?.applied.changes.some(({ action }) => action === 'remove') ?? false
  return (
    <div className="mt-4 flex flex-col gap-4">
      <FormBody
        form={{ ...form, set: change }}
        action="Preview changes"
        busyAction="Checking"
        kind={dryRun === null ? 'primary' : 'plain'}
        onCancel={onDone}
      >
        <TextAreaField
          form={{ ...form, set: change }}
          name="text"
          label="Document"
          help="Paste the exported JSON. Sections that the document omits are not changed."
          rows={10}
          isMono
        />
        <div>
          <Button size="small" onClick={() => file.current?.click()}>
            Choose file
          </Button>
          <input
            ref={file}
            type="file"
            accept="application/json,.json"
            className="sr-only"
            tabIndex={-1}
            aria-label="Document file"
            onChange={(event) => {
              const [chosen] = event.target.files ?? []
              if (chosen) void chosen.text().then((text) => change('text', text))
              event.target.value = ''
            }}
          />
        </div>
        <CheckField
          form={{ ...form, set: change }}
          name="prune"
          label="Prune: delete resources that are not in the document"
          help="Applies only to sections that the document contains, such as models. A bundle with end users is never deleted."
        />
        <div>
          <CopyAs operation="apps.apply" input={copied(form.values, slug)} />
        </div>
      </FormBody>
      <div aria-live="polite" className="flex flex-col gap-4">
        {dryRun && (
          <>
            <p className="font-medium" data-summary>
              {summaryOf(dryRun.applied.changes)}
            </p>
            {dryRun.applied.changes.map((one) => (
              <OneChange key={one.path} change={one} />
            ))}
            <ChangedMeanwhile failure={failure} onReload={() => void form.send()} />
            {failure !== null && <FailureNote error={failure} />}
            {count > 0 && (
              <div>
                <Button
                  kind={removes ? 'danger' : 'primary'}
                  isBusy={isBusy}
                  onClick={() => void applyNow(dryRun)}
                >
                  Apply {count === 1 ? '1 change' : `${count} changes`} to {slug}
                </Button>
              </div>
            )}
          </>
        )}
      </div>
    </div>
  )
}

function OneChange({ change: { action, after, before, path } }: { change: ConfigurationChange }): ReactNode {
  return (
    <details className="border-b border-line pb-2" open={action === 'update' || undefined}>
      <summary className="cursor-pointer text-14">
        <span className={action === 'remove' ? 'text-negative' : undefined}>
          {actionWords[action] ?? action}
        </span>{' '}
        <code className="text-13 wrap-anywhere">{path}</code>
      </summary>
      {action !== 'none' && (
        <div className="mt-2">
          <ChangedFields before={before} after={after} />
        </div>
      )}
    </details>
  )
}

function copied({ prune, text }: { text: string; prune: boolean }, slug: string): Record<string, unknown> {
  const document = documentOf(text)
  return { slug, prune, ...(typeof document === 'string' ? {} : document) }
}
