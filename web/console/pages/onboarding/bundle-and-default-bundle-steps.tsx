import type { ReactNode } from 'react'
import { steps } from '#cli/operations/recipe-of-first-request.ts'
import type { BundlesAllowInput, BundlesCreateInput } from '#sdk/generated/operations.ts'
import { FormBody, SelectField, TextField, useForm } from '#web/ui/form.tsx'
import { Skeleton } from '#web/ui/status-notes-and-placeholders.tsx'
import { useAllRows } from '../../load-all-rows.ts'
import { useChange } from '../../operations/use-operation.ts'
import { CopyAs } from '../../copy-as-code.tsx'
import { labelFault, nameHelp, nameMissing } from '../../help-and-errors-of-fields.ts'
import type { StepProps } from './setup-step-props.ts'

export function BundleStep({ onDone }: StepProps): ReactNode {
  const bundles = useAllRows('bundles.list').data?.rows
  if (!bundles) return <Skeleton className="h-24" />
  const slugs = bundles.map(({ slug }) => slug)
  return <BundleFields slugs={slugs} onDone={onDone} />
}

function BundleFields({
  onDone,
  slugs,
}: {
  readonly slugs: readonly string[]
  readonly onDone: () => void
}): ReactNode {
  const create = useChange('bundles.create')
  const allow = useChange('bundles.allow')
  const form = useForm({
    draft: 'first bundle',
    initial: { slug: slugs[0] ?? 'free', displayName: 'Free', models: '*' },
    check(values) {
      const fault = labelFault(values.slug)
      return {
        ...(fault !== undefined && { slug: fault }),
        ...(values.displayName.trim() === '' && { displayName: nameMissing }),
        ...(values.models.trim() === '' && { models: 'Enter model names or patterns, like acme/* or *.' }),
      }
    },
    async send(values) {
      if (!slugs.includes(values.slug)) await create.mutateAsync(createOf(values))
      await allow.mutateAsync(allowOf(values))
      onDone()
    },
  })
  const { values } = form
  const isNew = !slugs.includes(values.slug)
  return (
    <FormBody
      form={form}
      action={isNew ? `Create bundle ${values.slug}`.trim() : `Allow models in ${values.slug}`}
    >
      <div className="grid gap-4 phone:grid-cols-2">
        <TextField
          form={form}
          name="slug"
          label="Slug"
          help={
            isNew
              ? 'Identifies the bundle in the API. For example: free.'
              : 'This bundle exists. The models are added to this bundle.'
          }
          suggestions={slugs}
          maxLength={63}
        />
        {isNew && <TextField form={form} name="displayName" label="Name" help={nameHelp} maxLength={128} />}
      </div>
      <TextField
        form={form}
        name="models"
        label="Allowed models"
        help="Model names or patterns. * matches every model."
        maxLength={500}
      />
      <div className="flex flex-wrap gap-2">
        {isNew && <CopyAs operation="bundles.create" input={createOf(values)} />}
        <CopyAs
          operation="bundles.allow"
          input={allowOf(values)}
          words={isNew ? 'API request to allow the models' : 'As code'}
        />
      </div>
    </FormBody>
  )
}

function createOf({ displayName, slug }: { slug: string; displayName: string }): BundlesCreateInput {
  return steps.bundle({ slug, displayName: displayName.trim() }).input
}

function allowOf({ models, slug }: { slug: string; models: string }): BundlesAllowInput {
  return steps.allow(
    slug,
    models.split(/[\s,]+/).filter((one) => one !== ''),
  ).input
}

export function DefaultStep({ onDone }: StepProps): ReactNode {
  const bundles = useAllRows('bundles.list').data?.rows
  if (!bundles) return <Skeleton className="h-24" />
  if (bundles.length === 0)
    return (
      <p className="text-14 text-ink-2">
        Your first bundle becomes the default. Complete the step above to create a bundle.
      </p>
    )
  return <DefaultFields slugs={bundles.map(({ slug }) => slug)} onDone={onDone} />
}

function DefaultFields({
  onDone,
  slugs,
}: {
  readonly slugs: readonly string[]
  readonly onDone: () => void
}): ReactNode {
  const change = useChange('bundles.default')
  const form = useForm({
    draft: null,
    initial: { slug: slugs[0] ?? '' },
    async send({ slug }) {
      await change.mutateAsync({ slug })
      onDone()
    },
  })
  return (
    <FormBody form={form} action={`Make ${form.values.slug} default`}>
      <SelectField form={form} name="slug" label="Bundle" options={slugs.map((slug) => [slug, slug])} />
      <div>
        <CopyAs operation="bundles.default" input={{ slug: form.values.slug }} />
      </div>
    </FormBody>
  )
}
