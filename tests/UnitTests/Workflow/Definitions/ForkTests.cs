namespace UnitTests.Workflow.Definitions;

/// <summary>Which shapes of forks, joins and loops are accepted, and why others are not. A step is written id: type -> targets.</summary>
public sealed class ForkTests
{
    [Theory]
    [InlineData("f: fork a b = j; a: set j; b: set j; j: join e; e: end")]
    [InlineData("f: fork a j = j; a: set j; j: join e; e: end")]
    [InlineData("f: fork a b = j; a: decide j e; b: set j; j: join e; e: end")]
    [InlineData("f: fork a b = j; a: decide j a; b: set j; j: join e; e: end")]
    [InlineData("f: fork a b = j; a: set b; b: set j; j: join e; e: end")]
    [InlineData("f: fork a b = j; a: set j; b: set x; x: fail; j: join e; e: end")]
    [InlineData("f: fork a g = j; a: set j; g: fork c d = k; c: set k; d: set k; k: join j; j: join e; e: end")]
    [InlineData("f: fork a b = j; a: set j; b: set j; j: join d; d: decide f e; e: end")]
    [InlineData("i: inclusive a b = j; a: set j; b: set j; j: join e; e: end")]
    [InlineData("i: inclusive a j = j; a: set x; x: end; j: join e; e: end")]
    [InlineData("f: fork i c = k; i: inclusive a b = j; a: set j; b: set j; j: join k; c: set k; k: join e; e: end")]
    [InlineData("w: waitFirst a b; a: set w; b: set e; e: end")]
    [InlineData("f: fork a b = j; a: task j x y; x: set j; y: end; b: set j; j: join e; e: end")]
    [InlineData("a: set b; b: decide a e; e: end")]
    [InlineData("a: set a; e: end", "steps.e")]
    public void Sound_shapes_are_accepted(string shape, params string[] paths) => Refuses(shape, paths);

    [Theory]
    [InlineData("f: fork a b = j; a: set j; b: set x; j: join x; x: set e; e: end", "steps.j.next", "inside fork 'f'")]
    [InlineData("f: fork a b = j; a: set f; b: set j; j: join e; e: end", "steps.a.next",
        "Step 'f' is reached here inside fork 'f', and elsewhere outside")]
    [InlineData(
        "d: decide f a; f: fork a b = j; a: set j; b: set j; j: join e; e: end", "steps.f.branches[0]", "reached here inside fork 'f'")]
    [InlineData("f: fork a g = j; a: set j; g: fork c d = k; c: set j; d: set k; k: join j; j: join e; e: end", "steps.c.next",
        "Join 'j' waits for the branches of fork 'f', but is reached here inside fork 'g'")]
    [InlineData("f: fork a b = a; a: set e; b: set e; e: end", "steps.f.join", "'a' as its join, but that is a step of type 'set'")]
    [InlineData("a: set j; j: join e; e: end", "steps.j", "belongs to no fork")]
    [InlineData("f: fork a b = j; a: set j; b: set c; c: decide c b; j: join e; e: end", "steps.b", "never gets to its join 'j'")]
    [InlineData("i: inclusive a b = j; a: set j; b: set x; j: join x; x: set e; e: end", "steps.j.next", "inside fork 'i'")]
    [InlineData("f: fork a b = j; a: task j x x; x: set y; b: set j; j: join y; y: set e; e: end", "steps.x.next",
        "Step 'y' is reached here inside fork 'f', and elsewhere outside")]
    [InlineData("f: fork a b = j; a: waitFirst a j; b: waitFirst b b; j: join e; e: end", "steps.b", "never gets to its join 'j'")]
    [InlineData("f: fork a a = j; a: set j; j: join e; e: end", "steps.f.branches[1]", "given twice")]
    [InlineData("d: decide f g; f: fork a b = j; a: set j; b: set j; g: fork c h = j; c: set j; h: set j; j: join e; e: end",
        "steps.g.join", "already belongs to fork 'f'")]
    public void Unsound_shapes_are_refused(string shape, string path, string message)
    {
        var error = Assert.Single(Compiled(shape).Errors, error => error.Path == path);

        Assert.Contains(message, error.Message, StringComparison.Ordinal);
    }

    private static void Refuses(string shape, string[] paths) => Assert.Equal(paths, Compiled(shape).Errors.Select(error => error.Path));

    private static global::Workflow.Abstractions.Definitions.Compilation.DefinitionCompilation Compiled(string shape)
    {
        var steps = shape.Split("; ").Select(step => step.Split(": ")).Select(step => (Id: step[0], Words: step[1].Split(' '))).ToList();
        return Compile.Steps(steps[0].Id, string.Join(',', steps.Select(step => $"\"{step.Id}\":{{{Members(step.Words)}}}")));
    }

    private static string Members(string[] words) => words[0] switch
    {
        "set" => $"\"type\":\"set\",\"values\":{{}},\"next\":\"{words[1]}\"",
        "decide" => $"\"type\":\"decide\",\"cases\":[{{\"when\":\"x\",\"next\":\"{words[1]}\"}}],\"otherwise\":\"{words[2]}\"",
        "fork" => $"\"type\":\"fork\",\"branches\":[\"{words[1]}\",\"{words[2]}\"],\"join\":\"{words[4]}\"",
        "inclusive" => $"\"type\":\"inclusive\",\"cases\":[{{\"when\":\"x\",\"next\":\"{words[1]}\"}}],\"otherwise\":\"{words[2]}\",\"join\":\"{words[4]}\"",
        "waitFirst" => $"\"type\":\"waitFirst\",\"events\":[{{\"signal\":\"x\",\"next\":\"{words[1]}\"}},{{\"duration\":\"PT1S\",\"next\":\"{words[2]}\"}}]",
        "task" => $"\"type\":\"task\",\"next\":\"{words[1]}\",\"boundary\":[{{\"signal\":\"x\",\"interrupting\":false,\"next\":\"{words[2]}\"}},{{\"until\":\"= x\",\"next\":\"{words[3]}\"}}]",
        "join" => $"\"type\":\"join\",\"next\":\"{words[1]}\"",
        "fail" => "\"type\":\"fail\",\"error\":\"x\"",
        _ => "\"type\":\"end\"",
    };
}
