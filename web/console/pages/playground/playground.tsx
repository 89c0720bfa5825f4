/** Sends a request like an end user's, and shows its hold, answer and charge. */
import { useState, type ReactNode } from 'react'
import { Button } from '#web/ui/button.tsx'
import { Segments } from '#web/ui/choices.tsx'
import { CodeBlock } from '#web/ui/copy.tsx'
import { FailureNote } from '#web/ui/failure.tsx'
import {
  CheckField,
  Field,
  FormBody,
  inputClass,
  TextAreaField,
  TextField,
  useForm,
  type Form,
} from '#web/ui/form.tsx'
import { PageHead, Section } from '#web/ui/layout.tsx'
import { useAnswer } from '../../calls.ts'
import { useNames } from '../../name-suggestions.ts'
import { useScope } from '../../scope.ts'
import { useSearchText } from '../../search.ts'
import { CallResult } from './call-result.tsx'
import { clientCode, codeLanguages, type CodeLanguage } from './client-code.ts'
import { directives, withDirective } from './directives.ts'
import { isTestKey, keepKey, keptKey, keyFault } from './kept-key.ts'
import { MintKey } from './mint-key.tsx'
import { useRun } from './use-run.ts'
import { wires, type Asked, type Wire } from './wires.ts'

export default function Playground(): ReactNode {
  const scope = useScope()
  const names = useNames()
  const [linked] = useSearchText('model')
  const gateway = useAnswer('gateway.show', {})
  const address = gateway.data?.localGateway ?? gateway.data?.gateway
  const place = `${scope.app ?? ''} ${scope.mode}`
  const [key, setKey] = useState(() => keptKey(place))
  const [isKeyLeft, setKeyLeft] = useState(false)
  const run = useRun({ app: scope.app, mode: isTestKey(key) ? 'test' : scope.mode })
  const form = useForm<Values>({
    // A link to a name starts with that name, whatever was typed before.
    draft: linked === null ? 'playground' : `playground ${linked}`,
    initial: { wire: 'chat', model: linked ?? '', prompt: 'Say hello.', maxTokens: '300', isStreamed: true },
    check: ({ maxTokens, model, prompt }) => ({
      ...(model.trim() === '' && names.length === 0 && { model: 'Write the name to ask for.' }),
      ...(prompt.trim() === '' && { prompt: 'Write something to send.' }),
      ...(!/^[1-9]\d{0,6}$/.test(maxTokens) && { maxTokens: 'A whole number from 1 on.' }),
    }),
    // The request continues in the background, so that the form can be used again.
    send: async (values) => {
      setKeyLeft(true)
      if (keyFault(key) !== undefined || address === undefined) return
      void run.start({ asked: askedOf(values, names), gateway: address, key: key.trim() })
    },
  })
  const takeKey = (next: string): void => {
    keepKey(place, next)
    setKey(next)
  }
  const isTest = scope.mode === 'test' || isTestKey(key)
  return (
    <>
      <PageHead
        title="Playground"
        about="A call as an end user makes it, from this browser to your gateway: what it holds, what comes, and what it is charged."
      />
      {gateway.error !== null && (
        <FailureNote
          error={gateway.error}
          title="The gateway is not known."
          onRetry={() => void gateway.refetch()}
        />
      )}
      <div className="grid gap-x-12 gap-y-8 tablet:grid-cols-2">
        <div className="min-w-0">
          <FormBody form={form} action="Send the call" isDisabled={run.isRunning}>
            <Segments
              label="Wire"
              value={form.values.wire as Wire}
              options={wires}
              onChange={(wire) => form.set('wire', wire)}
            />
            <TextField
              form={form}
              name="model"
              label="Name"
              suggestions={names}
              placeholder={names[0]}
              help={
                form.values.model === '' && names[0] !== undefined
                  ? `Left empty: ${names[0]}`
                  : 'As an end user asks for it.'
              }
            />
            <KeyField
              value={key}
              onChange={takeKey}
              fault={isKeyLeft ? keyFault(key) : undefined}
              onLeave={() => setKeyLeft(key !== '')}
            />
            <div>
              <MintKey
                onMinted={(minted) => {
                  takeKey(minted)
                  setKeyLeft(true)
                }}
              />
            </div>
            <TextAreaField form={form} name="prompt" label="Prompt" rows={5} />
            {isTest && <Directives form={form} />}
            <div className="grid grid-cols-2 items-end gap-4">
              <TextField form={form} name="maxTokens" label="Most tokens out" inputMode="numeric" />
              <CheckField form={form} name="isStreamed" label="Stream the answer" />
            </div>
          </FormBody>
          {run.isRunning && (
            <Button className="mt-2" kind="danger" onClick={run.stop}>
              Stop the call
            </Button>
          )}
        </div>
        <CallResult run={run} scope={{ app: scope.app, mode: isTestKey(key) ? 'test' : scope.mode }} />
      </div>
      {address !== undefined && <Code asked={askedOf(form.values, names)} gateway={address} />}
    </>
  )
}

type Values = {
  readonly wire: string
  readonly model: string
  readonly prompt: string
  readonly maxTokens: string
  readonly isStreamed: boolean
}

function askedOf({ isStreamed, maxTokens, model, prompt, wire }: Values, names: readonly string[]): Asked {
  return {
    wire: wires.find(([one]) => one === wire)?.[0] ?? 'chat',
    model: model.trim() || (names[0] ?? ''),
    prompt,
    maxTokens: Number(maxTokens) || 1,
    isStreamed,
  }
}

/** A secret, which is neither stored in the browser nor shown. */
function KeyField({
  fault,
  onChange,
  onLeave,
  value,
}: {
  readonly value: string
  readonly fault: string | undefined
  readonly onChange: (value: string) => void
  readonly onLeave: () => void
}): ReactNode {
  const help = isTestKey(value)
    ? 'A test key: it never reaches a provider.'
    : value.startsWith('ak_')
      ? 'A live key: the call costs money.'
      : 'Of an end user. It stays on this page, in memory.'
  return (
    <Field label="Key" help={help} fault={fault}>
      {(control) => (
        <input
          {...control}
          type="password"
          autoComplete="off"
          spellCheck={false}
          placeholder="ak_…"
          className={inputClass}
          value={value}
          onChange={(event) => onChange(event.target.value)}
          onBlur={onLeave}
        />
      )}
    </Field>
  )
}

function Directives({ form }: { readonly form: Form<Values> }): ReactNode {
  const { prompt } = form.values
  return (
    <fieldset className="m-0 min-w-0 border-0 p-0">
      <legend className="mb-1 text-13 font-medium">Have the simulator do</legend>
      <div className="flex flex-wrap gap-1.5">
        {directives.map(([directive, about]) => (
          <button
            key={directive}
            type="button"
            title={about}
            aria-pressed={prompt.includes(directive)}
            onClick={() => form.set('prompt', withDirective(prompt, directive))}
            className="min-h-7 rounded border border-edge px-2 font-mono text-12 hover:bg-surface-2 aria-pressed:border-test aria-pressed:bg-test-2"
          >
            {directive}
          </button>
        ))}
      </div>
      <p className="mt-1 text-13 text-ink-3">
        In test mode a simulator answers; words in double brackets are orders to it.
      </p>
    </fieldset>
  )
}

function Code({ asked, gateway }: { readonly asked: Asked; readonly gateway: string }): ReactNode {
  const [language, setLanguage] = useState<CodeLanguage>('curl')
  return (
    <Section
      className="mt-12"
      title="The same from elsewhere"
      about="As the official client of the wire writes it. The key is read from AK_KEY."
      action={<Segments label="Language" value={language} options={codeLanguages} onChange={setLanguage} />}
    >
      <CodeBlock label={`This call in ${language}`} text={clientCode(language, asked, gateway)} />
    </Section>
  )
}
