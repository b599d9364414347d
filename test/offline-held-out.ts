/**
 * Messages as users type them, with the tool calls that they ask for: the held-out measure of the offline model.
 *
 * Who changes the offline model reads the score only, never these messages. Each expected call was made against the real
 * server over `heldOutFiles` or `heldOutGraph`, and succeeded. No case depends on what another one writes.
 */
export const heldOutCases: readonly HeldOutCase[] = [
  ...filesystemCases(),
  ...memoryCases(),
  ...everythingCases(),
];

/** A user's message and what an agent with the tools of one server does about it. */
export interface HeldOutCase {
  readonly server: "filesystem" | "memory" | "everything";
  readonly message: string;
  /**
   * Calls that must be among those made, in this order; others (such as a listing before) may stand between.
   * None: no tool can do what the message asks, so that none is to be called.
   */
  readonly calls: readonly ExpectedCall[];
  /** A text that the final answer must contain. */
  readonly answer?: string;
}

/** A call that a message asks for. */
interface ExpectedCall {
  /** The tool's name, or the names of tools that are equally right. */
  readonly tool: string | readonly string[];
  /** Every key here must match; the call may have others. Paths are relative to the server's folder. */
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** The filesystem server's only allowed directory: each file's text by its relative path. */
export const heldOutFiles: Readonly<Record<string, string>> = {
  "README.md": "# Lighthouse\n\nA small tool that counts ships.\n",
  "data/numbers.csv": [
    "month,ships,remark",
    "January,12,two nights without light",
    "February,19,two of them tugs",
    "March,7,fog on most days",
    "",
  ].join("\n"),
  "docs/faq.md": "# Questions\n\nQ: Does it work at night?\nA: Yes, with the infrared camera.\n",
  "docs/guide.md": "# Guide\n\nMount the camera at least four metres above the water.\n",
  "docs/images/logo.txt": "  /\\\n /  \\\n/____\\\n",
  "drafts/letter.txt": "Dear Sir,\n\nyour order has left the harbour.\n",
  "drafts/old-name.txt": "A text that deserves a better name.\n",
  "log.txt": [
    "1 started",
    "2 camera found",
    "3 camera ready",
    "4 ship seen",
    "5 ship counted",
    "6 fog",
    "7 fog lifted",
    "8 ship seen",
    "9 ship counted",
    "10 stopped",
    "",
  ].join("\n"),
  "notes/meeting-2026-03-01.txt": "Present: Alice, Bruno\nDecision: buy a second camera\n",
  "notes/todo.txt": "- clean the lens\n- call the harbour office\n",
};

/** What the memory server's graph holds before the cases, in the form that its own tools take. */
export const heldOutGraph: {
  readonly entities: readonly {
    readonly name: string;
    readonly entityType: string;
    readonly observations: readonly string[];
  }[];
  readonly relations: readonly {
    readonly from: string;
    readonly to: string;
    readonly relationType: string;
  }[];
} = {
  entities: [
    {
      name: "Alice Moreno",
      entityType: "person",
      observations: ["lives in Porto", "likes climbing"],
    },
    { name: "Bruno Keller", entityType: "person", observations: ["speaks Danish"] },
    { name: "Acme Labs", entityType: "company", observations: ["founded in 1998"] },
    { name: "Project Falcon", entityType: "project", observations: ["is due in October"] },
    { name: "Old Printer", entityType: "device", observations: ["is out of toner"] },
  ],
  relations: [{ from: "Alice Moreno", to: "Acme Labs", relationType: "works at" }],
};

function filesystemCases(): readonly HeldOutCase[] {
  const server = "filesystem";
  const read = ["read_text_file", "read_file"];
  const listing = ["list_directory", "list_directory_with_sizes", "directory_tree"];
  return [
    {
      server,
      message: "show me docs/guide.md please",
      calls: [{ tool: read, arguments: { path: "docs/guide.md" } }],
      answer: "at least four metres above the water",
    },
    {
      server,
      message: "What are the last 3 lines of log.txt?",
      calls: [{ tool: read, arguments: { path: "log.txt", tail: 3 } }],
      answer: "10 stopped",
    },
    {
      server,
      message: "what does faq.md say?",
      calls: [
        { tool: ["search_files", ...listing], arguments: {} },
        { tool: read, arguments: { path: "docs/faq.md" } },
      ],
      answer: "infrared camera",
    },
    {
      server,
      message: "Look in the notes folder and then read me the meeting file",
      calls: [
        { tool: listing, arguments: { path: "notes" } },
        { tool: read, arguments: { path: "notes/meeting-2026-03-01.txt" } },
      ],
      answer: "buy a second camera",
    },
    {
      server,
      message: "make a new folder called archive/2025",
      calls: [{ tool: "create_directory", arguments: { path: "archive/2025" } }],
    },
    {
      server,
      message: 'Could you save "buy milk and eggs" to notes/shopping.txt?',
      calls: [
        {
          tool: "write_file",
          arguments: { path: "notes/shopping.txt", content: "buy milk and eggs" },
        },
      ],
    },
    {
      server,
      message: "find all csv files",
      calls: [{ tool: "search_files", arguments: {} }],
      answer: "data/numbers.csv",
    },
    {
      server,
      message: "How big is data/numbers.csv and when was it last modified?",
      calls: [{ tool: "get_file_info", arguments: { path: "data/numbers.csv" } }],
      answer: "109",
    },
    {
      server,
      message: "rename drafts/old-name.txt to drafts/new-name.txt",
      calls: [
        {
          tool: "move_file",
          arguments: { source: "drafts/old-name.txt", destination: "drafts/new-name.txt" },
        },
      ],
    },
    {
      server,
      message: 'In drafts/letter.txt, replace "Dear Sir" with "Dear Alice".',
      calls: [
        {
          tool: "edit_file",
          arguments: {
            path: "drafts/letter.txt",
            edits: [{ oldText: "Dear Sir", newText: "Dear Alice" }],
          },
        },
      ],
    },
  ];
}

function memoryCases(): readonly HeldOutCase[] {
  const server = "memory";
  return [
    {
      server,
      message:
        'Please create an entity "Nadia Costa" of type "person" with the observation "plays the cello".',
      calls: [
        {
          tool: "create_entities",
          arguments: {
            entities: [
              {
                name: "Nadia Costa",
                entityType: "person",
                observations: ["plays the cello"],
              },
            ],
          },
        },
      ],
    },
    {
      server,
      message: 'add a note to "Alice Moreno": "is allergic to peanuts"',
      calls: [
        {
          tool: "add_observations",
          arguments: {
            observations: [{ entityName: "Alice Moreno", contents: ["is allergic to peanuts"] }],
          },
        },
      ],
    },
    {
      server,
      message: 'Add a relation from "Bruno Keller" to "Project Falcon", type "leads"',
      calls: [
        {
          tool: "create_relations",
          arguments: {
            relations: [{ from: "Bruno Keller", to: "Project Falcon", relationType: "leads" }],
          },
        },
      ],
    },
    {
      server,
      message: "search my memory for climbing",
      calls: [{ tool: "search_nodes", arguments: { query: "climbing" } }],
      answer: "Alice Moreno",
    },
    {
      server,
      message: "What do you know about Project Falcon?",
      calls: [{ tool: ["open_nodes", "search_nodes"], arguments: {} }],
      answer: "is due in October",
    },
    {
      server,
      message: 'remove the entity "Old Printer"',
      calls: [{ tool: "delete_entities", arguments: { entityNames: ["Old Printer"] } }],
    },
    {
      server,
      message: "Could you book me a flight to Lisbon for Friday?",
      calls: [],
    },
  ];
}

function everythingCases(): readonly HeldOutCase[] {
  const server = "everything";
  return [
    {
      server,
      message: "what's 17.5 plus 24.25?",
      calls: [{ tool: "get-sum", arguments: { a: 17.5, b: 24.25 } }],
      answer: "41.75",
    },
    {
      server,
      message: "What's the weather like in Chicago?",
      calls: [{ tool: "get-structured-content", arguments: { location: "Chicago" } }],
      answer: "drizzle",
    },
    {
      server,
      message: "get me resource 3 as a blob",
      calls: [
        { tool: "get-resource-reference", arguments: { resourceType: "Blob", resourceId: 3 } },
      ],
    },
    {
      server,
      message: "Run the long operation for 1 second in 2 steps",
      calls: [{ tool: "trigger-long-running-operation", arguments: { duration: 1, steps: 2 } }],
      answer: "Duration: 1 seconds, Steps: 2",
    },
    {
      server,
      message: "I'd like to see an annotated error message, image included.",
      calls: [
        {
          tool: "get-annotated-message",
          arguments: { messageType: "error", includeImage: true },
        },
      ],
    },
    {
      server,
      message: 'Add 8 and 34, then echo "all done"',
      calls: [
        { tool: "get-sum", arguments: { a: 8, b: 34 } },
        { tool: "echo", arguments: { message: "all done" } },
      ],
      answer: "42",
    },
    {
      server,
      message: "please compress data:text/plain,lighthouse and name it lighthouse.txt.gz",
      calls: [
        {
          tool: "gzip-file-as-resource",
          arguments: { name: "lighthouse.txt.gz", data: "data:text/plain,lighthouse" },
        },
      ],
      answer: "lighthouse.txt.gz",
    },
  ];
}
