/**
 * A field for an end user ID. The end user is created if it does not exist, and the field says which is the case when
 * it is left.
 */
import { useState, type ReactNode } from 'react'
import { TextField, type Form, type FormValues } from '#web/ui/form.tsx'
import { useFoundUser } from './find-user.ts'
import { useUserSuggestions } from './user-suggestions.ts'

export function EndUserField<V extends FormValues>({
  form,
  label,
  name,
}: {
  readonly form: Form<V>
  readonly name: keyof V & string
  readonly label: string
}): ReactNode {
  const typed = String(form.values[name]).trim()
  const [left, setLeft] = useState('')
  const suggestions = useUserSuggestions(typed)
  const found = useFoundUser(left)
  const isLeft = left !== '' && left === typed
  return (
    <TextField
      form={form}
      name={name}
      label={label}
      help={
        isLeft && found === null
          ? 'No end user has this ID yet. One is created.'
          : isLeft && found
            ? `This end user exists${found.email === null ? '.' : `: ${found.email}.`}`
            : 'The ID that your product uses for the end user. If it is new, an end user is created.'
      }
      suggestions={suggestions}
      maxLength={256}
      onLeave={() => setLeft(typed)}
    />
  )
}
