import { describe, expect, it } from 'vitest'
import { weakness } from './weak-password.ts'

const own = {
  email: 'ada.lovelace@engines.example',
  names: ['Ada Lovelace', 'Analytical Engines', 'Tollgate'],
}

describe('an easily guessed password is rejected, with the reason', () => {
  it.each([
    ['            ', 'must not consist of spaces.'],
    ['aaaaaaaaaaaa', 'must have at least 5 different characters.'],
    ['abababababab', 'must have at least 5 different characters.'],
    ['121212343434', 'must have at least 5 different characters.'],
    ['tollgatetollgate', 'must not be the same text repeated.'],
    ['horsehorsehorse', 'must not be the same text repeated.'],
    ['123456789012', 'must not be a sequence of characters or adjacent keys.'],
    ['abcdefghijkl', 'must not be a sequence of characters or adjacent keys.'],
    ['lkjihgfedcba', 'must not be a sequence of characters or adjacent keys.'],
    ['qwertyuiop12', 'must not be a sequence of characters or adjacent keys.'],
    ['1qaz2wsx3edc', 'must not be a sequence of characters or adjacent keys.'],
    ['1q2w3e4r5t6y', 'must not be a sequence of characters or adjacent keys.'],
    ['password1234', 'must not be a sequence of characters or adjacent keys.'],
    ['password847261', 'must not be a common password.'],
    ['P@ssw0rdP@ssw0rd!', 'must not be a common password.'],
    ['iloveyou2019', 'must not be a common password.'],
    ['Welcome2026!!', 'must not be a common password.'],
    ['letmeinletmein1', 'must not be a common password.'],
    ['ada.lovelace@engines.example', 'must not be your email address.'],
    ['ADA.LOVELACE@ENGINES.EXAMPLE', 'must not be your email address.'],
    ['lovelace2026!', 'must not be made of your email address.'],
    ['Analytical-1', 'must not be made of your name or the name of the organization or product.'],
    ['Tollgate2026!', 'must not be made of your name or the name of the organization or product.'],
    ['tollgate-tollgate-1', 'must not be made of your name or the name of the organization or product.'],
  ])('%s', (password, reason) => {
    expect(weakness(password, own)).toBe(reason)
  })
})

describe('a password that is hard to guess is accepted', () => {
  it.each([
    'correct horse battery',
    'another long one',
    'MyDogRex2019!!',
    'vX9#kL2m$Qp7',
    '9402718365529',
    'Свобода и рябина',
    'ёжик под ёлкой',
    '正確的馬電池釘書針正',
    'the password for ada is long',
    'correct horse tollgate',
  ])('%s', (password) => {
    expect(weakness(password, own)).toBe(null)
  })

  it('ignores short and empty names', () => {
    expect(weakness('orange elephants at sea', { email: 'a@b.c', names: ['', 'Al', '!'] })).toBe(null)
  })
})
