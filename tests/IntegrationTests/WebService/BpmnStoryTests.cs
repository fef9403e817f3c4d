using System.Text.RegularExpressions;

namespace IntegrationTests.WebService;

/// <summary>
/// Runs the commands of <c>From a drawing to code</c> in <c>src/Workflow/Bpmn/README.md</c>, and compares what it shows
/// of their answers.
/// <c>.ci/pictures</c> writes its picture anew; then look at it.
/// </summary>
[Trait("Category", "Integration")]
public sealed partial class BpmnStoryTests(WebServiceFixture fixture) : IClassFixture<WebServiceFixture>
{
    private const string Service = "http://127.0.0.1:5080";
    private readonly Dictionary<string, string> _variables = [];

    [Fact]
    public async Task Commands_of_the_page_answer_what_it_shows()
    {
        var page = await File.ReadAllTextAsync(Path.Combine(Checkout.Root, "src/Workflow/Bpmn/README.md"), Cancel);
        var section =
            page.Split("\n## ").Single(part => part.StartsWith("From a drawing to code\n", StringComparison.Ordinal));
        var blocks = Block().Matches(section);
        var answered = 0;
        var answer = "";
        var commands = blocks[0].Groups["text"].Value.Replace("-d '\n  ", "-d '", StringComparison.Ordinal);
        foreach (var line in commands.Split('\n', StringSplitOptions.RemoveEmptyEntries))
        {
            if (line.StartsWith("# ", StringComparison.Ordinal))
            {
                answered++;
                var shown = Shown(line[2..]);
                Assert.StartsWith(shown.Split("...")[0], Shown(answer), StringComparison.Ordinal);
                Assert.True(shown.EndsWith("...", StringComparison.Ordinal) || shown == Shown(answer), answer);
            }
            else if (!line.StartsWith("dotnet run ", StringComparison.Ordinal))
            {
                answer = await RunAsync(line);
            }
        }

        Assert.True(answered >= 5, $"{answered} answers are compared.");
        var code = blocks[1].Groups["text"].Value.Split("            ...\n");
        Assert.Contains("new WorkflowBuilder(\"order-8\", 1)", code[0], StringComparison.Ordinal);
        Assert.StartsWith(code[0], answer, StringComparison.Ordinal);
    }

    // Ids and instants are of this run; of an answer the page shows the beginning.
    private static string Shown(string text) => Id().Replace(text, "<id>").Trim();

    private async Task<string> RunAsync(string command)
    {
        foreach (var (name, value) in _variables)
        {
            command = command.Replace(name, value, StringComparison.Ordinal);
        }

        var curl = Curl().Match(command);
        Assert.True(curl.Success, $"The test does not know how to run: {command}");
        var route = new Uri(curl.Groups["route"].Value, UriKind.Relative);
        var text = curl.Groups["file"] is { Success: true, Value: var sent }
            ? await File.ReadAllTextAsync(Path.Combine(Checkout.Root, sent), Cancel)
            : curl.Groups["body"].Value;
        using var body = new StringContent(
            text, Encoding.UTF8, curl.Groups["file"].Success ? "application/xml" : "application/json");
        using var response = curl.Groups["post"].Success ? await fixture.Http.PostAsync(route, body, Cancel)
            : await fixture.Http.GetAsync(route, Cancel);
        var answer = await response.Content.ReadAsStringAsync(Cancel);
        Assert.True(response.IsSuccessStatusCode, $"{command}: {answer}");
        foreach (var (name, member) in new[] { ("$INSTANCE", "/instances"), ("$TASK", "/tasks") })
        {
            if (route.OriginalString.Split('?')[0] == member)
            {
                _variables[name] = Id().Match(answer).Value;
            }
        }

        if (curl.Groups["out"] is { Success: true, Value: var picture })
        {
            await CompareAsync(Path.Combine(Checkout.Root, ".github", Path.GetFileName(picture)), answer);
        }

        return answer;
    }

    private static async Task CompareAsync(string file, string drawn)
    {
        if (Environment.GetEnvironmentVariable("UPDATE_PICTURES") == "1")
        {
            await File.WriteAllTextAsync(file, drawn, Cancel);
        }

        Assert.Equal(Plain(await File.ReadAllTextAsync(file, Cancel)), Plain(drawn));

        // An id has the width of its letters.
        static string Plain(string picture) => Width().Replace(Id().Replace(picture, "<id>"), "");
    }

    [GeneratedRegex("```[a-z]*\\n(?<text>.*?)```", RegexOptions.Singleline)]
    private static partial Regex Block();

    [GeneratedRegex("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")]
    private static partial Regex Id();

    [GeneratedRegex(@"textLength=""\d+""(?=[^>]*>instance <id>)")]
    private static partial Regex Width();

    [GeneratedRegex($"^curl -s(Sf -o (?<out>\\S+))? (?<post>-X POST )?['\"]?{Service}(?<route>[^'\" ]+)['\"]?"
        + "( -H 'Content-Type: application/json' -d '(?<body>.*)'| -H 'Content-Type: "
        + "application/xml' --data-binary @(?<file>\\S+))?( +#.*)?$")]
    private static partial Regex Curl();
}
