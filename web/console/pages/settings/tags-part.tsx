import { useState, type ReactNode } from 'react'
import type { Tag } from '#sdk/generated/types.ts'
import { Button } from '#web/ui/button.tsx'
import { FailureNote } from '#web/ui/failure.tsx'
import { TextField, useForm } from '#web/ui/form.tsx'
import { Empty, Skeleton } from '#web/ui/status-notes-and-placeholders.tsx'
import { toast } from '#web/ui/toast.tsx'
import { ConfirmedChange } from '../../button-with-confirmation.tsx'
import { CommandLine } from '../../copy-as-code.tsx'
import { labelFault } from '../../help-and-errors-of-fields.ts'
import { FormDialog } from '../../form-dialog.tsx'
import { ChangedMeanwhile, useRevised, type Revised } from '../../forms-with-revision.tsx'
import { LimitsSection } from '../../limits/limits-section.tsx'
import { useChange } from '../../operations/use-operation.ts'
import type { CallSearch } from '../../calls/request-filters.ts'
import { Go } from '../../shell/console-links.tsx'
import { useMay } from '../../sign-in/member-session.ts'

export function TagsPart({ app }: { readonly app: { readonly name: string } }): ReactNode {
  const { data, error, refetch } = useRevised('tags.list', {})
  const may = useMay('developer')
  const [isAdding, setAdding] = useState(false)
  if (error && !data)
    return <FailureNote error={error} title="The tags couldn't be loaded." onRetry={() => void refetch()} />
  if (!data) return <Skeleton className="h-48" />
  const {
    ifMatch,
    value: { tags },
  } = data
  return (
    <div className="max-w-prose">
      <p className="mb-4 text-ink-2">
        Requests of <bdi className="font-medium text-ink">{app.name}</bdi> can set tags in the field{' '}
        <code className="text-13">svc.tags</code>. Keys add their own tags to each request. Reports can group
        requests by tag, and each tag can have limits.
      </p>
      {may && (
        <div className="mb-6">
          <Button onClick={() => setAdding(true)}>Add tag</Button>
        </div>
      )}
      {tags.length === 0 ? (
        <Empty
          title="No tags yet"
          command={<CommandLine operation="tags.set" input={{ tags: [{ slug: 'research' }] }} />}
        >
          <p>With a tag, you can group requests in reports and limit the requests that have the tag.</p>
        </Empty>
      ) : (
        tags.map((tag) => <OneTag key={tag.slug} tag={tag} all={tags} ifMatch={ifMatch} mayChange={may} />)
      )}
      {isAdding && (
        <AddTag all={tags} ifMatch={ifMatch} onReload={refetch} onClose={() => setAdding(false)} />
      )}
    </div>
  )
}

function termsOf(tags: readonly Tag[]): Pick<Tag, 'slug' | 'limits'>[] {
  return tags.map(({ limits, slug }) => ({ slug, limits }))
}

function OneTag({
  all,
  ifMatch,
  mayChange,
  tag: { limits, limitUses, slug },
}: {
  readonly tag: Tag
  readonly all: readonly Tag[]
  readonly ifMatch: Revised<unknown>['ifMatch']
  readonly mayChange: boolean
}): ReactNode {
  const set = useChange('tags.set')
  const others = termsOf(all.filter((one) => one.slug !== slug))
  const withLimits = (next: Tag['limits']) => ({
    tags: termsOf(all).map((one) => (one.slug === slug ? { slug, limits: next } : one)),
  })
  return (
    <section aria-label={slug} className="mb-6 border-t border-line pt-4">
      <div className="flex items-center justify-between gap-4">
        <h2 className="text-16 font-medium">
          <Go to="/requests" search={{ tag: slug } satisfies CallSearch} className="hover:underline">
            {slug}
          </Go>
        </h2>
        {mayChange && (
          <ConfirmedChange
            operation="tags.set"
            input={{ tags: others }}
            ifMatch={ifMatch}
            action="Remove tag"
            code="API request to remove the tag"
            title={`Remove ${slug}?`}
            onDone={() => toast('Tag removed')}
          >
            <p>
              New requests with this tag in svc.tags will be rejected. Keys no longer add the tag to requests.
            </p>
            <p>Past requests keep the tag.</p>
          </ConfirmedChange>
        )}
      </div>
      <LimitsSection
        title={`Limits of ${slug}`}
        about="Limits of all requests with this tag together, counted separately in live and test mode."
        empty="No limits for this tag."
        note="A request counts in the window in which it is admitted."
        limits={limits}
        uses={limitUses}
        mayChange={mayChange}
        ifMatch={ifMatch}
        save={(next, revision) => set.mutateAsync({ ...withLimits(next), ...revision })}
        operation="tags.set"
        inputOf={withLimits}
      />
    </section>
  )
}

function AddTag({
  all,
  ifMatch,
  onClose,
  onReload,
}: {
  readonly all: readonly Tag[]
  readonly ifMatch: Revised<unknown>['ifMatch']
  readonly onClose: () => void
  readonly onReload: () => Promise<unknown>
}): ReactNode {
  const set = useChange('tags.set')
  const inputOf = (slug: string) => ({ tags: [...termsOf(all), { slug: slug.trim() }] })
  const form = useForm({
    draft: null,
    initial: { slug: '' },
    check({ slug }) {
      if (all.some((one) => one.slug === slug.trim())) return { slug: 'This tag already exists.' }
      return labelFault(slug.trim()) === undefined
        ? {}
        : { slug: 'Enter lowercase letters, digits and hyphens.' }
    },
    async send({ slug }) {
      await set.mutateAsync({ ...inputOf(slug), ...ifMatch })
      toast('Tag added')
      onClose()
    },
  })
  return (
    <FormDialog
      onClose={onClose}
      title="Add tag"
      about="Requests can use the tag immediately."
      form={form}
      action="Add tag"
      busyAction="Adding"
      operation="tags.set"
      input={inputOf(form.values.slug)}
    >
      <TextField
        form={form}
        name="slug"
        label="Tag"
        help="Requests send the tag in svc.tags. For example: search."
        maxLength={63}
      />
      <ChangedMeanwhile failure={form.failure} onReload={() => void onReload().then(onClose)} />
    </FormDialog>
  )
}
