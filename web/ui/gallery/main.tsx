/** The page is included only in builds for tests. */
import { StrictMode, useState, type ReactNode } from 'react'
import { createRoot } from 'react-dom/client'
import { Button, IconButton, type ButtonKind } from '../button.tsx'
import { Segments, Switch, Tabs } from '../tabs-segments-and-switch.tsx'
import { Confirm } from '../confirm-dialog.tsx'
import { CodeBlock } from '../code-block.tsx'
import { CopyButton } from '../copy-button.tsx'
import { DataTable, type Column } from '../data-table.tsx'
import { FailureNote } from '../failure.tsx'
import {
  CheckField,
  FormBody,
  MoneyField,
  moneyFault,
  SelectField,
  TextAreaField,
  TextField,
  useForm,
} from '../form.tsx'
import { MoreIcon } from '../icons.tsx'
import { Facts, Figure, Figures, PageHead, Section } from '../page-head-and-sections.tsx'
import { Dialog, Menu, Sheet } from '../dialog-sheet-and-menu.tsx'
import { SecretDialog } from '../secret-dialog.tsx'
import { Empty, Note, Skeleton, State, type Tone } from '../status-notes-and-placeholders.tsx'
import { toast, Toasts } from '../toast.tsx'
import { Count, Duration, Id, Money, Nothing, Percent, When } from '../formatted-values.tsx'
import { ChartsGallery } from './charts-in-every-state.tsx'

const kinds: readonly ButtonKind[] = ['primary', 'plain', 'quiet', 'danger']
const tones: readonly Tone[] = ['positive', 'held', 'negative', 'test', 'neutral']

function Gallery(): ReactNode {
  return (
    <main className="mx-auto max-w-content p-4 tablet:p-8">
      <PageHead title="Components" about="All components of the pages, in all their states." />
      <Section title="Values">
        <Values />
      </Section>
      <Section title="Buttons">
        <div className="flex flex-wrap items-center gap-3">
          {kinds.map((kind) => (
            <Button key={kind} kind={kind}>
              Grant $5.00 ({kind})
            </Button>
          ))}
          <Button kind="primary" isBusy>
            Granting
          </Button>
          <Button disabled>Not allowed</Button>
          <Button size="small">Small</Button>
          <Button size="large">Large</Button>
          <IconButton label="More">
            <MoreIcon />
          </IconButton>
          <CopyButton text="req_01" label="Copy ID" />
        </div>
      </Section>
      <Section title="States">
        <div className="flex flex-wrap gap-6">
          {tones.map((tone) => (
            <State key={tone} tone={tone} words={tone} />
          ))}
        </div>
        <div className="mt-4 flex flex-col gap-2">
          {tones.map((tone) => (
            <Note
              key={tone}
              tone={tone}
              title="A model has no price"
              action={<Button size="small">Set price</Button>}
            >
              Requests to acme/fast are rejected until every dimension has a price.
            </Note>
          ))}
          <FailureNote error={new Error('The server did not respond for 30 s.')} onRetry={() => {}} />
          <Skeleton className="w-64" />
        </div>
      </Section>
      <Section title="Figures and facts">
        <Figures>
          <Figure
            name="List value"
            value={<Money micros="129495900" />}
            change="+12.3 % compared with the previous 7 days"
          />
          <Figure name="Cost" value={<Money micros="83120044" />} />
          <Figure name="Margin" value={<Percent part={0.358} />} />
          <Figure name="Requests" value={<Count of={123456} short />} />
        </Figures>
        <Facts
          facts={[
            ['Id', <Id key="id" text="req_01m81wdbkb001x1rpmhav3m2b2" />],
            ['Charged', <Money key="money" micros="277" />],
            ['Expires', <Nothing key="nothing" reason="never" />],
          ]}
        />
      </Section>
      <Section title="A form">
        <ExampleForm />
      </Section>
      <Section title="Choices">
        <Choices />
      </Section>
      <Section title="Overlays">
        <Overlays />
      </Section>
      <Section title="A table">
        <Tables />
      </Section>
      <Section title="Code">
        <CodeBlock label="Command line" text="tollgate keys mint ada --cap-micros 5000000" />
      </Section>
      <Section title="Charts">
        <ChartsGallery />
      </Section>
    </main>
  )
}

function Values(): ReactNode {
  const amounts = ['0', '1', '277', '250000', '4999723', '-1250000', '1234567891234']
  return (
    <table className="text-14">
      <tbody>
        {amounts.map((micros) => (
          <tr key={micros}>
            <td className="pr-8 text-right">
              <Money micros={micros} aligned />
            </td>
            <td className="pr-8">
              <Money micros={micros} signed />
            </td>
            <td className="pr-8">
              <Count of={micros.replace('-', '')} />
            </td>
            <td className="pr-8">
              <Duration ms={Number(micros.replace('-', '').slice(0, 7))} />
            </td>
            <td>
              <When at={new Date(Date.UTC(2026, 0, 12)).toISOString()} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function ExampleForm(): ReactNode {
  const form = useForm({
    draft: null,
    initial: { user: '', amount: '5', bundle: 'pro', note: '', expires: false },
    check: ({ amount, user }) => {
      const fault = moneyFault(amount, { least: 1n })
      return {
        ...(user === '' && { user: 'Enter an end user.' }),
        ...(fault !== undefined && { amount: fault }),
      }
    },
    send: async () => {
      throw new Error('The gallery sends nothing.')
    },
  })
  return (
    <FormBody form={form} action="Grant $5.00 to ada" onCancel={form.reset} className="max-w-prose">
      <TextField
        form={form}
        name="user"
        label="End user"
        help="Your ID for the end user."
        suggestions={['ada', 'grace']}
      />
      <MoneyField form={form} name="amount" label="Amount" />
      <SelectField
        form={form}
        name="bundle"
        label="Bundle"
        options={[
          ['pro', 'Pro'],
          ['free', 'Free'],
        ]}
      />
      <TextAreaField form={form} name="note" label="Reason" isOptional />
      <CheckField form={form} name="expires" label="Expires" help="At the end of the period." />
    </FormBody>
  )
}

function Choices(): ReactNode {
  const [mode, setMode] = useState<'live' | 'test'>('live')
  const [isOn, setOn] = useState(true)
  const [tab, setTab] = useState('activity')
  return (
    <div className="flex flex-col gap-4">
      <Segments
        label="Mode of the example"
        value={mode}
        onChange={setMode}
        options={[
          ['live', 'Live'],
          ['test', 'Test'],
        ]}
      />
      <div className="flex items-center gap-3">
        <Switch label="On-demand" isOn={isOn} onChange={setOn} />
        <Switch label="On-demand (change is being saved)" isOn={!isOn} isBusy onChange={() => {}} />
      </div>
      <Tabs
        label="Parts"
        chosen={tab}
        onChoose={setTab}
        tabs={[
          { id: 'activity', words: 'Activity', content: 'Requests.' },
          { id: 'ledger', words: 'Ledger', content: 'Changes to the balance.' },
        ]}
      />
    </div>
  )
}

function Overlays(): ReactNode {
  const [open, setOpen] = useState<'dialog' | 'sheet' | 'confirm' | 'secret' | null>(null)
  const close = (): void => setOpen(null)
  return (
    <div className="flex flex-wrap gap-3">
      <Button onClick={() => setOpen('dialog')}>Open a dialog</Button>
      <Button onClick={() => setOpen('sheet')}>Open a sheet</Button>
      <Button onClick={() => setOpen('confirm')}>Delete a model</Button>
      <Button onClick={() => setOpen('secret')}>Show a secret</Button>
      <Button onClick={() => toast('Granted $5.00 to ada.', { words: 'Undo', run: () => {} })}>
        Show a toast
      </Button>
      <Menu
        trigger={<Button>Open a menu</Button>}
        entries={[
          { words: 'Freeze' },
          { words: 'Chosen', isChosen: true },
          null,
          { words: 'Remove', isDanger: true },
        ]}
      />
      <Dialog isOpen={open === 'dialog'} onClose={close} title="A dialog" about="A short description.">
        <p>Its content.</p>
      </Dialog>
      <Sheet isOpen={open === 'sheet'} onClose={close} title="A sheet" onStep={() => {}}>
        <p>Details next to the list.</p>
      </Sheet>
      <Confirm
        isOpen={open === 'confirm'}
        onClose={close}
        title="Delete acme/fast?"
        action="Delete acme/fast"
        name="acme/fast"
        onConfirm={async () => {}}
      >
        <p>New requests to this model will be rejected. Past charges are not affected.</p>
      </Confirm>
      {open === 'secret' && (
        <SecretDialog
          title="The key of ada"
          about="Requests with this key are charged to ada."
          secret="ak_demo01_test_0000000000000000000000000000000000"
          fileName=".env"
          fileText="OPENAI_API_KEY=ak_demo01_test_0000000000000000000000000000000000"
          onClose={close}
        />
      )}
    </div>
  )
}

interface Row {
  readonly id: number
  readonly name: string
}

function Tables(): ReactNode {
  const [chosen, setChosen] = useState<number | null>(null)
  const columns: readonly Column<Row>[] = [
    { id: 'name', head: 'Name', cell: ({ name }) => <bdi>{name}</bdi> },
    {
      id: 'charged',
      head: 'Charged',
      unit: '$',
      isNumber: true,
      cell: ({ id }) => <Money micros={String(id * 4999)} aligned />,
    },
    { id: 'tokens', head: 'Tokens', isNumber: true, cell: ({ id }) => <Count of={id * 137} /> },
    { id: 'note', head: 'Note', isExtra: true, cell: () => <Nothing reason="no note" /> },
  ]
  const rows = Array.from({ length: 400 }, (_, id) => ({
    id,
    name: id % 9 === 0 ? 'اسم طويل '.repeat(12) : `row ${id}`,
  }))
  const shared = {
    columns,
    rowKey: ({ id }: Row) => String(id),
    empty: <Empty title="No rows yet">Rows appear here.</Empty>,
  }
  return (
    <div className="flex flex-col gap-8">
      <DataTable
        {...shared}
        label="Rows"
        name="gallery"
        rows={{ rows: rows.slice(0, 5) }}
        onOpen={({ id }) => setChosen(id)}
        isChosen={({ id }) => id === chosen}
      />
      <DataTable {...shared} label="Loading rows" name="gallery" rows={{ rows: undefined }} />
      <DataTable {...shared} label="No rows" name="gallery" rows={{ rows: [] }} />
      <DataTable
        {...shared}
        label="Rows that failed to load"
        name="gallery"
        rows={{ rows: undefined, error: new Error('The store is unavailable.') }}
      />
      <DataTable {...shared} label="Many rows" name="gallery" rows={{ rows }} />
    </div>
  )
}

const element = document.getElementById('root')
if (element) {
  createRoot(element).render(
    <StrictMode>
      <Gallery />
      <Toasts />
    </StrictMode>,
  )
}
