using System.Text.RegularExpressions;
using Workflow.Abstractions;
using Workflow.Abstractions.Definitions;
using Workflow.Abstractions.Expressions;

namespace Workflow.Bpmn;

/// <summary>
/// Reads the expressions and scripts of a process; what has no equal here is a finding with its place.
/// </summary>
internal sealed partial class BpmnExpressions(BpmnFile file, FindingList findings)
{
    /// <summary>Every variable that the process reads or writes, as far as its own text says.</summary>
    public SortedSet<string> Variables { get; } = new(StringComparer.Ordinal);

    public BpmnDialect Dialect => file.Dialect;

    /// <summary>A value of a mapping: an expression, or a text as it is written.</summary>
    /// <returns>A template; null when there is a finding.</returns>
    public JsonNode? Value(BpmnElement owner, BpmnText text)
    {
        if (IsExpression(text.Value))
        {
            return Expression(owner, text) is { } expression ? JsonValue.Create(expression) : null;
        }

        if (text.Value.Contains("${", StringComparison.Ordinal) || text.Value.Contains("#{", StringComparison.Ordinal))
        {
            return Refuse(owner, text, 0,
                "A text with expressions inside is not translated; write one expression, e.g. = \"order \" + id.");
        }

        return Constant(text.Value);
    }

    /// <summary>
    /// A text that is the same for every instance; null when it is an expression, which is a finding.
    /// </summary>
    public string? Name(BpmnElement owner, BpmnText text, string what)
    {
        if (IsExpression(text.Value) || text.Value.Contains("${", StringComparison.Ordinal)
            || string.IsNullOrWhiteSpace(text.Value))
        {
            findings.Add(owner, text.Line, text.Column,
                $"{what} is '{Shown(text.Value)}'; only a name that is the same for every instance is imported. Write "
                    + "the name itself.");
            return null;
        }

        return text.Value.Trim();
    }

    /// <summary>The condition of a flow.</summary>
    public string? Condition(BpmnElement expression)
    {
        BpmnRules.Check(expression, findings);
        var text = expression.Text;
        var language = expression.Attribute("language");
        if (language is not null && !language.Contains("feel", StringComparison.OrdinalIgnoreCase)
            && !IsExpression(text.Value)
            && !language.Equals("csharp", StringComparison.OrdinalIgnoreCase))
        {
            findings.Add(
                expression,
                $"The language '{Shown(language)}' of the condition is not imported; write it in FEEL, "
                    + "e.g. = amount > 100.");
            return null;
        }

        if (IsExpression(text.Value))
        {
            return Expression(expression, text);
        }

        // Without a sign of its language: FEEL where the dialect allows that, else as C# writes comparisons.
        if (Dialect == BpmnDialect.Plain || language is not null
            || text.Value.Contains("_context.", StringComparison.Ordinal))
        {
            return text.Value.Contains("_context.", StringComparison.Ordinal) || IsForeign(text.Value)
                ? Foreign(expression, text, 0, text.Value, ForeignLanguage.CSharp)
                : Feel(expression, text, 0, text.Value);
        }

        findings.Add(expression, text.Line, text.Column,
            $"The condition '{Shown(text.Value.Trim())}' is no expression of this dialect; write "
            + (Dialect == BpmnDialect.Camunda7 ? "${amount > 100}." : "= amount > 100."));
        return null;
    }

    /// <summary>An expression that begins with = or stands in ${…}.</summary>
    public string? Expression(BpmnElement owner, BpmnText text)
    {
        var source = text.Value;
        var start = source.Length - source.TrimStart().Length;
        var end = source.TrimEnd().Length;
        if (source[start] == '=')
        {
            return Feel(owner, text, start + 1, source[(start + 1)..end]);
        }

        var inner = source[(start + 2)..(end - 1)];
        return Foreign(owner, text, start + 2, inner, ForeignLanguage.Unified);
    }

    /// <summary>A FEEL expression; with or without = before it.</summary>
    public string? Feel(BpmnElement owner, BpmnText text, int offset, string source)
    {
        var compiled = $"={source}";
        if (!ExpressionCompiler.TryCompile(compiled, out var expression, out var error))
        {
            Refuse(owner, text, offset + Math.Max(0, error.Column - 2),
                $"The expression '{Shown(source.Trim())}' is not imported: {error.Message}");
            return null;
        }

        if (expression.References.FirstOrDefault(
            reference => reference is { Name: "item", IsPosition: true }) is { Length: > 0 } item)
        {
            Refuse(owner, text, offset + item.Start - 1, $"The expression '{Shown(source.Trim())}' is not imported: "
                + "between '[' and ']' "
                + "'item' is each item of the list in FEEL, and filters are not supported. Give the variable another "
                + "name.");
            return null;
        }

        Variables.UnionWith(expression.Variables);
        return $"= {source.Trim()}";
    }

    /// <summary>A constant as JSON, where an expression is nothing else.</summary>
    public static JsonNode Simplified(string expression)
    {
        try
        {
            var node = JsonNode.Parse(expression.TrimStart('=', ' '));
            if (node is JsonValue value
                && (value.GetValueKind() != JsonValueKind.String || !value.GetValue<string>().StartsWith('=')))
            {
                return node;
            }
        }
        catch (JsonException)
        {
            // Not a constant of JSON, so it stays an expression.
        }

        return JsonValue.Create(expression);
    }

    /// <summary>
    /// A script of assignments, one to a line or with semicolons between: <c>name = expression</c> or
    /// <c>_context.name = expression</c>. Each sees what those before it have assigned.
    /// </summary>
    public List<KeyValuePair<string, string>>? Script(BpmnElement owner, BpmnText text, string? format)
    {
        var isCSharp = format is not null
            && (format.Equals("csharp", StringComparison.OrdinalIgnoreCase) || format == "C#");
        if (!isCSharp && !string.IsNullOrEmpty(format) && !format.Contains("feel", StringComparison.OrdinalIgnoreCase))
        {
            findings.Add(owner, $"Scripts in '{Shown(format)}' are not imported. Write the assignments in FEEL with "
                + "scriptFormat=\"feel\", one to a line: total = price * quantity; or make it a service task.");
            return null;
        }

        isCSharp |= string.IsNullOrEmpty(format) && text.Value.Contains("_context.", StringComparison.Ordinal);
        List<KeyValuePair<string, string>> assigned = [];
        var before = findings.Count;

        // No more findings are listed, and each costs the way from the beginning of the script to its line.
        foreach (var (start, statement) in Statements(text.Value)
            .TakeWhile(_ => findings.Count - before < FindingList.Max))
        {
            if (Assignment().Match(statement) is not { Success: true } match)
            {
                Refuse(owner, text, start,
                    $"'{Shown(statement)}' is no assignment; only lines such as total = price * quantity are "
                        + "imported.");
                continue;
            }

            var (name, right) = (match.Groups["name"].Value, match.Groups["right"]);
            var value = isCSharp
                ? Foreign(owner, text, start + right.Index, right.Value, ForeignLanguage.CSharp)
                : Feel(owner, text, start + right.Index, right.Value);
            Variables.Add(name);
            assigned.Add(new(name, value ?? ""));
        }

        return findings.Count == before ? assigned : null;
    }

    /// <summary>An expression in which each variable is read as another.</summary>
    /// <param name="read">The expression to read instead of a variable; its name, where it stays.</param>
    /// <param name="what">What has the expression, e.g. <c>The input of 'total'</c>.</param>
    /// <returns>Null when there is a finding.</returns>
    public string? Over(BpmnElement owner, string expression, Func<string, string> read, string what)
    {
        if (!ExpressionCompiler.TryCompile(expression, out var compiled, out var error))
        {
            return RefuseOver(owner, what, error.Message);
        }

        // Past the limit nothing more is put in: it may be long, and read by every name.
        var over = new StringBuilder();
        var (end, length) = (0, expression.Length);
        foreach (var (name, start, size, _) in compiled.References)
        {
            var put = read(name);
            if (put == name)
            {
                continue;
            }

            if (size != name.Length)
            {
                return RefuseOver(
                    owner, what, $"it reads `{Shown(name)}`. Use letters, digits and '_' in names of variables.");
            }

            over.Append(expression, end, start - end).Append(put);
            end = start + size;
            length += put.Length - size;
            if (length > ExpressionCompiler.MaxLength)
            {
                return RefuseLong(owner, what, $"it has more than {ExpressionCompiler.MaxLength} characters.");
            }
        }

        if (!file.TryPut(length - expression.Length))
        {
            return RefuseLong(owner, what, $"the expressions of the file have {BpmnFile.MaxPut} characters more.");
        }

        var text = over.Append(expression, end, expression.Length - end).ToString();
        return Hidden(compiled, text, read) is { } hidden
            ? RefuseOver(owner, what,
                $"an entry of a context in it hides the variable '{hidden}'. Give the entry another name.") : text;
    }

    // What is put into a context would read an entry of it in the place of a variable.
    private static string? Hidden(Expression before, string text, Func<string, string> read)
    {
        if (!text.Contains('{', StringComparison.Ordinal) || !ExpressionCompiler.TryCompile(text, out var after, out _))
        {
            return null;
        }

        var put = before.Variables.ToDictionary(name => name, name => Names(read(name)), StringComparer.Ordinal);
        var found = after.References.CountBy(reference => reference.Name).ToDictionary(StringComparer.Ordinal);
        return before.References.SelectMany(reference => put[reference.Name]).CountBy(name => name)
            .FirstOrDefault(wanted => found.GetValueOrDefault(wanted.Key) < wanted.Value).Key;

        static string[] Names(string source) =>
            ExpressionCompiler.TryCompile(source, out var expression, out _)
                ? [.. expression.References.Select(one => one.Name)]
                : [];
    }

    private string? RefuseLong(BpmnElement owner, string what, string problem) => RefuseOver(owner, what,
        $"once what it reads is put in, {problem} Compute what it reads in a script task before it, as a variable of "
            + "the process.");

    private string? RefuseOver(BpmnElement owner, string what, string problem)
    {
        findings.Add(owner, $"{what} is not imported: {problem}");
        return null;
    }

    public static bool IsExpression(string text)
    {
        var trimmed = text.AsSpan().Trim();
        return trimmed.StartsWith("=")
            || (trimmed.EndsWith("}") && (trimmed.StartsWith("${") || trimmed.StartsWith("#{"))
                && trimmed[2..].IndexOfAny('{', '#') < 0);
    }

    public static string Shown(string text) => StoreLimits.Excerpt(text.ReplaceLineEndings(" "), 80);

    /// <summary>A text that is no expression, whatever it begins with.</summary>
    public static JsonValue Constant(string text) =>
        JsonValue.Create(text.StartsWith('=') ? $"= {TemplateText.Quoted(text)}" : text);

    private static bool IsForeign(string text) => text.Contains("==", StringComparison.Ordinal)
        || text.Contains("&&", StringComparison.Ordinal) || text.Contains("||", StringComparison.Ordinal);

    private string? Foreign(BpmnElement owner, BpmnText text, int offset, string source, ForeignLanguage language)
    {
        if (source.Length > ExpressionCompiler.MaxLength)
        {
            Refuse(owner, text, offset, $"The expression '{Shown(source.Trim())}' is not imported: it has "
                + $"{source.Length} characters; at "
                + $"most {ExpressionCompiler.MaxLength} are accepted. Split it over several variables.");
            return null;
        }

        var translated = ForeignExpression.Translate(source, language);
        if (translated.Text is { } ours)
        {
            return Feel(owner, text, offset, ours);
        }

        Refuse(owner, text, offset + translated.Offset,
            $"The expression '{Shown(source.Trim())}' is not imported: {translated.Problem}");
        return null;
    }

    private JsonNode? Refuse(BpmnElement owner, BpmnText text, int offset, string message)
    {
        var (line, column) = text.At(offset);
        findings.Add(owner, line, column, message);
        return null;
    }

    // Ends of lines and semicolons part statements, but not within brackets or texts.
    private static IEnumerable<(int Start, string Text)> Statements(string script)
    {
        var (start, depth, quote) = (0, 0, '\0');
        for (var i = 0; i <= script.Length; i++)
        {
            var c = i < script.Length ? script[i] : ';';
            if (i < script.Length && quote != '\0')
            {
                i += c == '\\' && i + 1 < script.Length ? 1 : 0;
                quote = c == quote ? '\0' : quote;
                continue;
            }

            quote = c == '"' ? c : quote;
            depth += c switch
            {
                '(' or '[' or '{' => 1,
                ')' or ']' or '}' => -1,
                _ => 0,
            };
            if (i < script.Length && (c is not (';' or '\n') || depth > 0))
            {
                continue;
            }

            var statement = script[start..Math.Min(i, script.Length)];
            var lead = statement.Length - statement.TrimStart().Length;
            if (statement.Length > lead && !statement.AsSpan(lead).StartsWith("//"))
            {
                yield return (start + lead, statement.Trim());
            }

            start = i + 1;
        }
    }

    [GeneratedRegex(
        @"^(?:_context\s*\.\s*)?(?<name>[\p{L}_][\p{L}\p{Nd}_]*)\s*=(?!=)\s*(?<right>.+)$", RegexOptions.Singleline)]
    private static partial Regex Assignment();
}
