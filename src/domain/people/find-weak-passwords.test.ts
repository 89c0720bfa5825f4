import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { weakness } from './find-weak-passwords.ts'

const own = {
  email: 'ada.lovelace@engines.example',
  names: ['Ada Lovelace', 'Analytical Engines', 'Tollgate'],
}

describe('a password that is easy to guess is rejected, and the reason is stated', () => {
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
    ['Supernatural', 'must not be a common password.'],
    ['2024Steelers!', 'must not be a common password.'],
    ['5up3rn@tur@l', 'must not be a common password.'],
    ['31217221027711', 'must not be a common password.'],
    ['hd764nw5d7e1vb1', 'must not be a common password.'],
    ['ada.lovelace@engines.example', 'must not be your email address.'],
    ['ADA.LOVELACE@ENGINES.EXAMPLE', 'must not be your email address.'],
    ['lovelace2026!', 'must not be made of your email address.'],
    ['Analytical-1', 'must not be made of your name or the name of the organization or product.'],
    ['Tollgate2026!', 'must not be made of your name or the name of the organization or product.'],
    ['tollgate-tollgate-1', 'must not be made of your name or the name of the organization or product.'],
  ])('the password %s is rejected', (password, reason) => {
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
    // Each of these passwords contains a leaked password within other words, or with enough text around the leaked
    // password.
    'steelers supernatural',
    'Steelers940271836552',
  ])('the password %s is accepted', (password) => {
    expect(weakness(password, own)).toBe(null)
  })

  it('names that are short or empty do not make a password weak', () => {
    expect(weakness('orange elephants at sea', { email: 'a@b.c', names: ['', 'Al', '!'] })).toBe(null)
  })
})

describe('the list of leaked passwords', () => {
  it('the list of leaked passwords has the entries that its README describes', () => {
    const folder = new URL('../../../vendor/common-passwords/', import.meta.url)
    const file = readFileSync(new URL('passwords.json', folder))
    const readme = readFileSync(new URL('README.md', folder), 'utf8')
    expect(readme).toContain(createHash('sha256').update(file).digest('hex'))
    const groups: readonly string[] = JSON.parse(file.toString())
    const entries = groups.flatMap((group) => group.split(' '))
    expect(new Set(entries).size).toBe(11_000)
    expect(readme).toContain('11,000 entries')
    for (const group of groups) expect(new Set(group.split(' ').map(([first]) => first)).size).toBe(1)
    expect(entries.filter((entry) => entry !== entry.toLowerCase() || entry.length < 5)).toEqual([])
  })
})
