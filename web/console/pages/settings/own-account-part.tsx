import { useState, type ReactNode } from 'react'
import { Segments, Switch } from '#web/ui/tabs-segments-and-switch.tsx'
import { FormBody, TextField, useForm } from '#web/ui/form.tsx'
import { Facts, Section } from '#web/ui/page-head-and-sections.tsx'
import { useNow } from '#web/ui/current-time-hooks.ts'
import { exactTimeText } from '#web/ui/number-text.ts'
import { chooseZone, chosenZone, localZone } from '#web/ui/time-zone.ts'
import { toast } from '#web/ui/toast.tsx'
import { When } from '#web/ui/formatted-values.tsx'
import { useChange } from '../../operations/use-operation.ts'
import { newPasswordFaults, newPasswordHelp } from '../../sign-in/check-new-password.ts'
import { pages } from '../../pages.ts'
import { useSession } from '../../sign-in/member-session.ts'
import { aboutRole } from '../../sign-in/team-roles.ts'
import { Go } from '../../shell/console-links.tsx'
import { PasskeysPart } from './passkeys-part.tsx'
import { areShortcutsOn, setShortcuts } from '../../shell/shortcuts.ts'
import { chooseTheme, chosenTheme, type Theme } from '#web/ui/theme.ts'

const themes: readonly (readonly [Theme, string])[] = [
  ['system', 'System'],
  ['light', 'Light'],
  ['dark', 'Dark'],
]

export function MemberPart(): ReactNode {
  const { expiresAt, member } = useSession()
  const [theme, setTheme] = useState(chosenTheme)
  return (
    <div className="max-w-prose">
      <Section title="You">
        <Facts
          facts={[
            ['Name', <bdi key="name">{member.name ?? member.email}</bdi>],
            ['Email address', <bdi key="email">{member.email}</bdi>],
            ['Role', `${member.role}: ${aboutRole(member.role)}`],
            ['Session expires', <When key="ends" at={expiresAt} />],
          ]}
        />
        <p className="mt-3 text-13 text-ink-2">
          See your sessions on <Go to="/team">Team</Go>, and the tokens of your devices on{' '}
          <Go to="/tokens">Tokens</Go>.
        </p>
      </Section>
      <Section
        title="Password"
        about="Changing your password ends your sessions in other browsers. Signed-in devices are not affected."
      >
        <PasswordForm hasPassword={member.hasPassword} />
      </Section>
      <PasskeysPart />
      <Section title="Theme" about="Applies to this browser.">
        <Segments
          label="Theme"
          value={theme}
          options={themes}
          onChange={(next) => {
            chooseTheme(next)
            setTheme(next)
          }}
        />
      </Section>
      <TimeZone />
      <Shortcuts />
    </div>
  )
}

function TimeZone(): ReactNode {
  const [zone, setZone] = useState(chosenZone)
  const nowMs = useNow(60_000)
  return (
    <Section
      title="Time zone"
      about="Applies to the times that this browser shows. Days and months of usage, limits and invoices are always in UTC."
    >
      <Segments
        label="Time zone"
        value={zone}
        options={[
          ['utc', 'UTC'],
          ['local', `Browser: ${localZone()}`],
        ]}
        onChange={(next) => {
          chooseZone(next)
          setZone(next)
        }}
      />
      <p className="mt-2 text-13 text-ink-2">Now: {exactTimeText(new Date(nowMs).toISOString())}</p>
    </Section>
  )
}

function PasswordForm({ hasPassword }: { readonly hasPassword: boolean }): ReactNode {
  const change = useChange('sessions.password')
  const { member } = useSession()
  const form = useForm({
    draft: null,
    initial: { currentPassword: '', password: '', again: '' },
    fieldOf: { newPassword: 'password' },
    check: ({ currentPassword, ...chosen }) => ({
      ...(hasPassword && currentPassword === '' && { currentPassword: 'Enter your current password.' }),
      ...newPasswordFaults(chosen),
    }),
    async send({ currentPassword, password }) {
      await change.mutateAsync({ newPassword: password, ...(hasPassword && { currentPassword }) })
      form.reset()
      toast('Password changed.')
    },
  })
  return (
    <FormBody form={form} action={hasPassword ? 'Change password' : 'Set password'} busyAction="Changing">
      {/* Password managers recognize the account by this field. */}
      <input type="hidden" name="username" autoComplete="username" value={member.email} readOnly />
      {hasPassword && (
        <TextField
          form={form}
          name="currentPassword"
          label="Current password"
          type="password"
          autoComplete="current-password"
        />
      )}
      <TextField
        form={form}
        name="password"
        label="New password"
        type="password"
        autoComplete="new-password"
        help={newPasswordHelp}
      />
      <TextField
        form={form}
        name="again"
        label="Confirm new password"
        type="password"
        autoComplete="new-password"
      />
    </FormBody>
  )
}

function Shortcuts(): ReactNode {
  const [isOn, setOn] = useState(areShortcutsOn)
  const keys: readonly (readonly [string, string])[] = [
    ['⌘K, Ctrl K', 'Search the application, or go to a page'],
    ['/', 'Focus the filter of a page'],
    ['j, k', 'Go to the next or previous row'],
    ...pages.flatMap(({ key, title }) => (key === undefined ? [] : [[`g ${key}`, title] as const])),
  ]
  return (
    <Section
      title="Keyboard shortcuts"
      about="Applies to this browser. If the shortcuts are off, ⌘K still works."
      action={
        <Switch
          label="Keyboard shortcuts"
          isOn={isOn}
          onChange={(next) => {
            setShortcuts(next)
            setOn(next)
          }}
        />
      }
    >
      <dl className="grid grid-cols-[6.5rem_1fr] gap-x-6 text-14 phone:grid-cols-[6.5rem_1fr_4rem_1fr]">
        {keys.map(([key, words]) => (
          <div key={key} className="col-span-2 grid grid-cols-subgrid border-b border-line py-1.5">
            <dt>
              <kbd className="whitespace-nowrap rounded border border-line px-1 text-12">{key}</kbd>
            </dt>
            <dd className="text-ink-2">{words}</dd>
          </div>
        ))}
      </dl>
    </Section>
  )
}
