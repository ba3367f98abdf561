#!/usr/bin/env node
/** The command line of kubesim: the one place where everything is put together. */
import { Command } from 'commander';
import { serveCommand } from './serve-command.ts';

const program = new Command('kubesim')
  .description('A whole Kubernetes-style control plane as one deterministic simulation.')
  .showHelpAfterError()
  .addCommand(serveCommand());

await program.parseAsync();
