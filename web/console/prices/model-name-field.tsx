import { useId, type ReactNode } from 'react'
import { Field, inputClass } from '#web/ui/form.tsx'

/** The model cannot be changed if the form was opened for one model. */
export function ModelNameField({
  help,
  isFixed,
  maxLength,
  onChange,
  suggestions,
  value,
}: {
  readonly help: string
  readonly isFixed: boolean
  readonly maxLength: number
  readonly suggestions: readonly string[]
  readonly value: string
  readonly onChange: (model: string) => void
}): ReactNode {
  const list = useId()
  return (
    <Field label="Model" help={help}>
      {(control) => (
        <>
          <input
            {...control}
            className={inputClass}
            value={value}
            readOnly={isFixed}
            maxLength={maxLength}
            list={list}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => onChange(event.target.value)}
          />
          <datalist id={list}>
            {suggestions.map((one) => (
              <option key={one} value={one} />
            ))}
          </datalist>
        </>
      )}
    </Field>
  )
}
