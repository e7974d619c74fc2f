/** Somebody else who was at work at some time since the agent's turn began. */
export interface Neighbour {
  /** `run-3`, or other words for who it was. */
  readonly stepId: string;
  /** Absolute path of the directory an agent works in; absent for a command, which may write anywhere. */
  readonly directory?: string;
  /** The repository around that directory. */
  readonly repository?: string;
}

/** Which changes of a directory can only be the agent's. */
export interface Attribution {
  /** Why none can be told apart. */
  readonly none?: string;
  /** Folders, with a slash at their end, in which another agent worked. */
  readonly except: readonly { readonly prefix: string; readonly why: string }[];
  /** Why changes of the repository itself (branches, what is staged, settings) cannot be told apart. */
  readonly notRepository?: string;
}

/**
 * Decides whose changes those of a directory can be, from who was at work meanwhile. Pure. Agents of the same directory take turns, so they count only
 * where `turns` says that more than one turn lies in between.
 */
export function attribute(args: { readonly directory: string; readonly beside: readonly Neighbour[]; readonly repository: string | undefined; readonly turns: 'one' | 'several' }): Attribution {
  const { directory, repository, turns } = args;
  const beside = args.beside.filter((other) => turns === 'several' || other.directory !== directory);
  const anywhere = beside.filter((other) => other.directory === undefined || other.directory === directory || directory.startsWith(`${other.directory}/`));
  const inside = beside.filter((other) => other.directory?.startsWith(`${directory}/`) === true);
  const inRepository = beside.filter((other) => other.directory === undefined || (repository !== undefined && other.repository === repository));
  const who = (others: readonly Neighbour[]): string => `${[...new Set(others.map(({ stepId }) => stepId))].join(', ')} ran meanwhile`;
  return {
    ...(anywhere.length === 0 ? {} : { none: who(anywhere) }),
    except: inside.map((other) => ({ prefix: `${other.directory?.slice(directory.length + 1) ?? ''}/`, why: `${other.stepId} worked there meanwhile` })),
    ...(inRepository.length === 0 ? {} : { notRepository: who(inRepository) }),
  };
}
