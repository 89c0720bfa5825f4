import { testClientsOf } from './cases.ts'

testClientsOf('chat')
