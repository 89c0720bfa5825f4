/**
 * If the end user does not exist, submitting the form creates the end user. The field's help shows whether the end user
 * exists, after the field loses focus.
 */
import { useState, type ReactNode } from 'react'
import type { FormValues } from '#web/ui/draft-of-form.ts'
import { TextField, type Form } from '#web/ui/form.tsx'
import { useFoundUser } from './find-end-user.ts'
import { useUserSuggestions } from './end-user-suggestions.ts'

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
          ? 'No end user has this ID yet. A new end user will be created.'
          : isLeft && found
            ? `This end user exists${found.email === null ? '.' : `: ${found.email}.`}`
            : 'Your ID for the end user. A new ID creates an end user.'
      }
      suggestions={suggestions}
      maxLength={256}
      onLeave={() => setLeft(typed)}
    />
  )
}
