namespace UnitTests.Workflow.Definitions;

/// <summary>
/// Which shapes of forks, joins, sub-processes and loops are accepted, and why others are not. A step is written id:
/// type -> targets; a sub-process has its start, its next and the step of an event at its boundary.
/// </summary>
public sealed class ScopeTests
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
    [InlineData("p: sub a e e; a: set i; i: end; e: end")]
    [InlineData("p: sub a e x; a: set a; x: set e; e: end")]
    [InlineData("p: sub a e e; a: sub b i i; b: task i2 i3 x; i2: end; i3: end; x: fail; i: end; e: end")]
    [InlineData("p: sub f e e; f: fork a b = j; a: set j; b: set i; j: join i; i: terminate; e: end")]
    [InlineData("f: fork p b = j; p: sub a j j; a: set i; i: end; b: set j; j: join e; e: end")]
    [InlineData("p: sub a d d; a: decide a i; i: end; d: decide p e; e: end")]
    [InlineData("p: sub a e p; a: end; e: end")]
    public void Sound_shapes_are_accepted(string shape, params string[] paths) =>
        Assert.Equal(paths, Compiled(shape).Errors.Select(error => error.Path));

    [Theory]
    [InlineData("f: fork a b = j; a: set j; b: set x; j: join x; x: set e; e: end", "steps.j.next", "inside fork 'f'")]
    [InlineData("f: fork a b = j; a: set f; b: set j; j: join e; e: end", "steps.a.next",
        "Step 'f' is reached here inside fork 'f', and elsewhere outside")]
    [InlineData(
        "d: decide f a; f: fork a b = j; a: set j; b: set j; j: join e; e: end", "steps.f.branches[0]",
        "reached here inside fork 'f'")]
    [InlineData(
        "f: fork a g = j; a: set j; g: fork c d = k; c: set j; d: set k; k: join j; j: join e; e: end", "steps.c.next",
        "Join 'j' waits for the branches of fork 'f', but is reached here inside fork 'g'")]
    [InlineData("f: fork a b = a; a: set e; b: set e; e: end", "steps.f.join",
        "'a' as its join, but that is a step of type 'set'")]
    [InlineData("a: set j; j: join e; e: end", "steps.j", "belongs to no fork")]
    [InlineData("f: fork a b = j; a: set j; b: set c; c: decide c b; j: join e; e: end", "steps.b",
        "never gets to its join 'j'")]
    [InlineData(
        "i: inclusive a b = j; a: set j; b: set x; j: join x; x: set e; e: end", "steps.j.next", "inside fork 'i'")]
    [InlineData("f: fork a b = j; a: task j x x; x: set y; b: set j; j: join y; y: set e; e: end", "steps.x.next",
        "Step 'y' is reached here inside fork 'f', and elsewhere outside")]
    [InlineData("f: fork a b = j; a: waitFirst a j; b: waitFirst b b; j: join e; e: end", "steps.b",
        "never gets to its join 'j'")]
    [InlineData("f: fork a a = j; a: set j; j: join e; e: end", "steps.f.branches[1]", "given twice")]
    [InlineData(
        "d: decide f g; f: fork a b = j; a: set j; b: set j; g: fork c h = j; c: set j; h: set j; j: join e; e: end",
        "steps.g.join", "already belongs to fork 'f'")]
    [InlineData("p: sub a e e; a: set x; x: set e; e: end", "steps.x.next",
        "Step 'x' leads to step 'e' inside sub-process 'p', but that is reached elsewhere outside of every "
            + "sub-process. A sub-process is")]
    [InlineData("d: decide p a; p: sub a e e; a: set i; i: end; e: end", "steps.p.start",
        "Step 'p' leads to step 'a' inside sub-process 'p', but that is reached elsewhere outside")]
    [InlineData("p: sub a e y; a: set x; x: set i; i: end; y: set z; z: set x; e: end", "steps.z.next",
        "Step 'z' leads to step 'x' outside of every sub-process, but that is reached "
            + "elsewhere inside sub-process 'p'")]
    [InlineData("p: sub a q q; q: sub b e e; a: set i; b: set i; i: end; e: end", "steps.b.next",
        "Step 'b' leads to step 'i' inside sub-process 'q', but that is reached elsewhere inside sub-process 'p'")]
    [InlineData("p: sub q e e; q: sub a i i; a: set i; i: end; e: end", "steps.a.next", "inside sub-process 'q'")]
    [InlineData("p: sub a e e; a: set p; e: end", "steps.a.next", "Step 'a' leads to step 'p' inside sub-process 'p'")]
    [InlineData(
        "p: sub a e i; a: set i; i: end; e: end", "steps.a.next", "Step 'a' leads to step 'i' inside sub-process 'p'")]
    [InlineData("p: sub a e x; a: set f; f: fail; x: set f; e: end", "steps.x.next",
        "Step 'x' leads to step 'f' outside of every sub-process")]
    [InlineData("f: fork p b = j; p: sub a j j; a: set j; b: set j; j: join e; e: end", "steps.a.next",
        "Join 'j' waits for the branches of fork 'f', but is reached here inside sub-process 'p'")]
    [InlineData("p: sub f e e; f: fork a b = j; a: set e; b: set j; j: join i; i: end; e: end", "steps.a.next",
        "Step 'a' leads to step 'e' inside sub-process 'p'")]
    [InlineData("p: sub f e e; f: fork a b = j; a: set i; b: set j; j: join x; x: set x; i: set i; e: end", "steps.i",
        "never gets to its join 'j'")]
    [InlineData("p: sub a e e; a: set i; i: output; e: end", "steps.i.output",
        "Step 'i' ends a token inside sub-process 'p', which has no output")]
    [InlineData(
        "p: sub f e e; f: fork a b = j; a: set i; b: set j; j: join k; k: end; i: output; e: end", "steps.i.output",
        "inside sub-process 'p', which has no output; set a variable instead")]
    public void Unsound_shapes_are_refused(string shape, string path, string message)
    {
        var error = Assert.Single(Compiled(shape).Errors, error => error.Path == path);

        Assert.Contains(message, error.Message, StringComparison.Ordinal);
    }

    private static global::Workflow.Abstractions.Definitions.Compilation.DefinitionCompilation Compiled(string shape)
    {
        var steps = shape.Split("; ").Select(step => step.Split(": "))
            .Select(step => (Id: step[0], Words: step[1].Split(' '))).ToList();
        return Compile.Steps(
            steps[0].Id, string.Join(',', steps.Select(step => $"\"{step.Id}\":{{{Members(step.Words)}}}")));
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
        "sub" => $"\"type\":\"subProcess\",\"start\":\"{words[1]}\",\"next\":\"{words[2]}\",\"boundary\":[{{\"signal\":\"x\",\"next\":\"{words[3]}\"}}]",
        "terminate" => "\"type\":\"end\",\"terminate\":true",
        "output" => "\"type\":\"end\",\"output\":1",
        _ => "\"type\":\"end\"",
    };
}
