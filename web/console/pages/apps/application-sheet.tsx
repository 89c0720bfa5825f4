import { useState, type ReactNode } from 'react'
import type { Application } from '#sdk/generated/types.ts'
import { Button } from '#web/ui/button.tsx'
import { CopyButton } from '#web/ui/copy-button.tsx'
import { FailureNote, sentenceOf } from '#web/ui/failure.tsx'
import { FormBody, TextField, useForm } from '#web/ui/form.tsx'
import { Facts } from '#web/ui/page-head-and-sections.tsx'
import { microsOfText } from '#web/ui/money-text.ts'
import { Sheet } from '#web/ui/dialog-sheet-and-menu.tsx'
import { Note, State } from '#web/ui/status-notes-and-placeholders.tsx'
import { toast } from '#web/ui/toast.tsx'
import { Count, Money, Nothing, When } from '#web/ui/formatted-values.tsx'
import { useAct } from '../../open-form-in-url.ts'
import { useChange } from '../../operations/use-operation.ts'
import { ConfirmedChange } from '../../button-with-confirmation.tsx'
import { CopyAs } from '../../copy-as-code.tsx'
import { ChangedMeanwhile, OnceRead, useRevised, type Revised } from '../../forms-with-revision.tsx'
import { nameMissing } from '../../help-and-errors-of-fields.ts'
import { useScope } from '../../application-and-mode.ts'
import { useSetSearch } from '../../url-parameters.ts'
import { useMay, useSession } from '../../sign-in/member-session.ts'
import { Go } from '../../shell/console-links.tsx'
import { ConfigurationPart } from './configuration-document-part.tsx'

export function AppSheet({
  app,
  isShown,
  onClose,
  onStep,
}: {
  readonly app: Application
  readonly isShown: boolean
  readonly onClose: () => void
  readonly onStep: (by: 1 | -1) => void
}): ReactNode {
  const { mode } = useScope()
  const mayAdmin = useMay('admin')
  const [isRenaming, rename, endRename] = useAct('rename')
  const { archivedAt, bundles, costUsd, createdAt, endUsers, keys, models, name, slug } = app
  const isArchived = archivedAt !== null
  return (
    <Sheet isOpen onClose={onClose} onStep={onStep} title={<bdi>{name}</bdi>}>
      <div className="flex flex-col gap-6">
        <div className="flex flex-wrap items-center gap-2">
          {!isArchived && <UseButton app={app} isShown={isShown} />}
          {!isArchived && (
            <Button
              disabled={!mayAdmin}
              title={mayAdmin ? undefined : 'Renaming applications requires the admin role.'}
              onClick={rename}
            >
              Rename application
            </Button>
          )}
          <CopyAs operation="apps.show" input={{ slug }} />
        </div>
        {isArchived && (
          <Note title="This application is archived">
            The gateway and the portal of the application have returned 410 since{' '}
            <When at={archivedAt} isExact />. You can still read the usage and the ledger.
          </Note>
        )}
        {isRenaming && <Rename slug={slug} onClose={endRename} />}
        <Facts
          facts={[
            [
              'Slug',
              <code key="slug" className="text-13">
                {slug}
              </code>,
            ],
            ['Gateway', <Address key="gateway" of={app.gateway} what="gateway" />],
            app.localGateway === undefined
              ? null
              : ['Gateway port', <Address key="local" of={app.localGateway} what="gateway port" />],
            ['Portal', <Address key="portal" of={app.portal} what="portal" isOpened={!isArchived} />],
            app.localPortal === undefined
              ? null
              : ['Portal port', <Address key="localPortal" of={app.localPortal} what="portal port" />],
            ['End users', <Count key="users" of={endUsers} />],
            ['Keys', <Count key="keys" of={keys} />],
            ['Models', <Names key="names" of={models} to="/models" app={slug} />],
            ['Bundles', <Names key="bundles" of={bundles} to="/bundles" app={slug} />],
            [`Cost, ${mode}`, <Money key="cost" micros={microsOfText(costUsd)} />],
            ['Created', <When key="made" at={createdAt} />],
          ]}
        />
        {app.localGateway !== undefined && (
          <p className="text-13 text-ink-3">
            Use the port addresses for clients that can't resolve hosts under localhost. End users enter the
            portal with a link. Create the link on the page of the end user.
          </p>
        )}
        {!isArchived && (
          <p className="flex flex-wrap gap-4">
            <Go to="/brand" search={{ app: slug }}>
              Customize portal
            </Go>
            <Go to="/users" search={{ app: slug }}>
              View end users
            </Go>
            <Go to="/settings" search={{ app: slug }}>
              Configure gateway
            </Go>
          </p>
        )}
        <ConfigurationPart slug={slug} isArchived={isArchived} />
        {!isArchived && <Archive app={app} may={mayAdmin} />}
      </div>
    </Sheet>
  )
}

function UseButton({ app: { name, slug }, isShown }: { app: Application; isShown: boolean }): ReactNode {
  const use = useChange('apps.use')
  const setSearch = useSetSearch()
  const may = useMay('developer')
  const { activeApplication } = useSession()
  if (isShown && (activeApplication === slug || !may)) {
    return <State tone="positive" words="Shown in the console" />
  }
  // Storing the choice in the session is a change, which a viewer may not make.
  return (
    <Button
      kind="primary"
      isBusy={use.isPending}
      onClick={() => {
        setSearch({ app: slug })
        if (!may) return
        // The sheet may be replaced before the response arrives.
        void use.mutateAsync({ slug }).then(
          () => toast(`${name} is now the active application.`),
          (error: unknown) => toast(`${name} couldn't be made active. ${sentenceOf(error)}`),
        )
      }}
    >
      {may ? 'Make active' : 'View application'}
    </Button>
  )
}

function Address({
  isOpened = false,
  of,
  what,
}: {
  readonly of: string
  readonly what: string
  readonly isOpened?: boolean
}): ReactNode {
  return (
    <span className="flex min-w-0 items-center gap-1">
      {isOpened ? (
        <a
          className="font-mono text-13 wrap-anywhere text-accent underline underline-offset-2"
          href={of}
          target="_blank"
          rel="noreferrer"
        >
          {of}
        </a>
      ) : (
        <code className="text-13 wrap-anywhere">{of}</code>
      )}
      <CopyButton text={of} label={`Copy ${what} address`} />
    </span>
  )
}

function Names({
  app,
  of,
  to,
}: {
  readonly of: readonly string[]
  readonly to: string
  readonly app: string
}): ReactNode {
  if (of.length === 0) return <Nothing reason="Nothing configured yet" />
  return (
    <span className="flex min-w-0 flex-wrap gap-x-3">
      {of.slice(0, 12).map((name) => (
        <Go
          key={name}
          to={to}
          search={{ app, open: name }}
          className="inline-flex min-h-6 min-w-6 max-w-full items-center hover:underline"
          title={name}
        >
          <bdi className="truncate">{name}</bdi>
        </Go>
      ))}
      {of.length > 12 && (
        <Go to={to} search={{ app }}>
          {of.length - 12} more
        </Go>
      )}
    </span>
  )
}

function Rename({ onClose, slug }: { readonly slug: string; readonly onClose: () => void }): ReactNode {
  const query = useRevised('apps.show', { slug })
  const [reloads, setReloads] = useState(0)
  if (query.error && !query.data)
    return <FailureNote error={query.error} onRetry={() => void query.refetch()} />
  return (
    <OnceRead noun="apps" query={query}>
      {(revised) => (
        <RenameForm
          key={reloads}
          revised={revised}
          onClose={onClose}
          onReload={() => void query.refetch().then(() => setReloads((count) => count + 1))}
        />
      )}
    </OnceRead>
  )
}

function RenameForm({
  onClose,
  onReload,
  revised,
}: {
  readonly revised: Revised<Application>
  readonly onClose: () => void
  readonly onReload: () => void
}): ReactNode {
  const [
    {
      ifMatch,
      value: { name, slug },
    },
  ] = useState(revised)
  // `apps.create` also renames an existing application.
  const change = useChange('apps.create')
  const form = useForm({
    draft: null,
    initial: { name },
    check: (values) => (values.name.trim() === '' ? { name: nameMissing } : {}),
    async send(values) {
      await change.mutateAsync({ slug, name: values.name.trim(), ...ifMatch })
      toast(`Renamed to ${values.name.trim()}`)
      onClose()
    },
  })
  return (
    <FormBody
      form={form}
      action="Rename application"
      onCancel={onClose}
      isDisabled={!form.isChanged}
      className="border-y border-line py-4"
    >
      <TextField
        form={form}
        name="name"
        label="Name"
        help="End users see this name in the portal unless the brand sets a product name. The slug doesn't change."
        maxLength={128}
      />
      <ChangedMeanwhile failure={form.failure} onReload={onReload} />
      <div>
        <CopyAs operation="apps.create" input={{ slug, name: form.values.name.trim() }} />
      </div>
    </FormBody>
  )
}

function Archive({
  app: { endUsers, keys, name, slug },
  may,
}: {
  app: Application
  may: boolean
}): ReactNode {
  const setSearch = useSetSearch()
  return (
    <section className="border-t border-line pt-4">
      <h3 className="mb-2 text-14 font-semibold">Archive application</h3>
      <div className="flex flex-wrap items-center gap-2">
        <ConfirmedChange
          operation="apps.rm"
          input={{ slug }}
          action="Archive application"
          isDisabled={!may}
          title={
            <>
              Archive <bdi>{name}</bdi>?
            </>
          }
          name={slug}
          onDone={() => {
            toast(`Archived ${name}`)
            setSearch({ app: null })
          }}
        >
          <p>
            The gateway and the portal return 410 immediately. <Count of={keys} />{' '}
            {keys === 1 ? 'key stops' : 'keys stop'} working, and <Count of={endUsers} />{' '}
            {endUsers === 1 ? 'end user loses' : 'end users lose'} access to the portal. This can't be undone,
            and the slug can't be used again.
          </p>
          <p>
            Requests in flight finish and are charged. You can still read usage, ledger, invoices and
            configuration.
          </p>
        </ConfirmedChange>
        {!may && <span className="text-13 text-ink-3">Archiving applications requires the admin role.</span>}
      </div>
    </section>
  )
}
