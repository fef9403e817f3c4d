namespace LoadTesting.Tool;

/// <summary><c>wfperf completions</c>: what a shell needs to complete verbs, options and names.</summary>
internal static class CompletionsCommand
{
    /// <summary>Scripts that ask <c>wfperf '[suggest:POSITION]' 'LINE'</c>, by shell.</summary>
    internal static IReadOnlyDictionary<string, string> Scripts { get; } =
        new Dictionary<string, string>(StringComparer.Ordinal)
    {
        ["bash"] = """
            _wfperf() {
              local line="${COMP_LINE#* }" word="${COMP_WORDS[COMP_CWORD]}"
              local position=$((COMP_POINT - ${#COMP_LINE} + ${#line}))
              local IFS=$'\n'
              COMPREPLY=($(compgen -W "$(wfperf "[suggest:$position]" "$line" 2>/dev/null)" -- "$word"))
            }
            complete -o default -F _wfperf wfperf
            """,
        ["zsh"] = """
            _wfperf() {
              local line="${(j: :)words[2,CURRENT]}"
              local -a found
              found=("${(@f)$(wfperf "[suggest:${#line}]" "$line" 2>/dev/null)}")
              compadd -- $found || _files
            }
            compdef _wfperf wfperf
            """,
        ["fish"] = """
            function __wfperf
                set -l line (commandline -cp | string replace -r '^\S+\s+' '')
                wfperf "[suggest:"(string length -- "$line")"]" "$line" 2>/dev/null
            end
            complete -c wfperf -a '(__wfperf)'
            """,
        ["pwsh"] = """
            Register-ArgumentCompleter -Native -CommandName wfperf -ScriptBlock {
                param($word, $ast, $cursor)
                $line = $ast.ToString() -replace '^\S+\s*', ''
                wfperf "[suggest:$($line.Length)]" $line 2>$null | Where-Object { $_ -like "$word*" } |
                    ForEach-Object { [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_) }
            }
            """,
    };

    public static Command Create(ToolConsole console)
    {
        var shell = new Argument<string>("shell") { Description = $"One of {string.Join(", ", Scripts.Keys)}." };
        shell.AcceptOnlyFromAmong([.. Scripts.Keys]);
        var command = new Command(
            "completions",
            "Prints what a shell needs to complete verbs, options, scenarios and profiles, e.g. source <(wfperf "
                + "completions bash).");
        command.Add(shell);
        command.SetAction(async (parsed, _) =>
        {
            await console.Out.WriteLineAsync(Scripts[parsed.GetRequiredValue(shell)]).ConfigureAwait(false);
            return ExitCode.Success;
        });
        return command;
    }
}
