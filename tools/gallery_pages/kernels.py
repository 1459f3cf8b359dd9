# SPDX-License-Identifier: MIT
"""The kernels of the gallery: what the pages say about them, and the sizes for which they are timed."""
import pictures
import pictures_of_data

# name (models/NAME), title, type, size to time, size for the quick run, the pictures, the text: paragraphs of HTML
KERNELS = [
    ("blur", "Blur with a halo", "f32", "1080x1920", "64x64", pictures.blur, """
A Gaussian blur of 5x5 elements. Neighbouring pixels need the same elements, so each workgroup first loads its tile
of 32x8 elements with a halo of two elements on each side into shared memory. It blurs the rows there, waits at a
barrier, and blurs the columns. Without shared memory, each pixel would be loaded 25 times.
<p>The last step reads <em>windows</em>: <code>composition</code> gives the shared array a layout whose modes
overlap, so that value (col, row, j) is the element j rows further down, and no index is written by hand. Elements
outside the image are those at its edge. The verifier proves that this holds for every size, also for an image
without pixels."""),
    ("equalise", "Histogram equalisation", "u8", "1080x1920", "64x64", pictures.equalise, """
Spreads the levels of an image so that each occurs about equally often. A plan of four kernels: one sets the counts
to 0; one counts the levels, in shared memory first, so that a workgroup adds to each count in memory only once; one
sums the counts and makes a table of new levels, with a thread for each of the 256 levels; and one looks up each
pixel.
<p>The third kernel computes 255.5 times the number of pixels in 32 bits. It therefore <em>assumes</em> that there are
fewer than 2<sup>24</sup>. The host twin refuses a launch with more, and the report lists the assumption."""),
    ("radix_step", "A step of a radix sort", "u32", "1000000", "1000", pictures_of_data.radix_step, """
Puts keys in the order of one digit of 4 bits, and moves a value along with each key. Equal digits keep their order,
so that eight steps sort keys of 32 bits. The first kernel counts the digits in each block of 256 keys. The second
sums the counts, digit by digit and block by block: this is where each block puts its first key of each digit. The
third finds how many keys of its block come before a key, and stores the key.
<p>For that, each subgroup sums 16 counts at once: four counts of 8 bits fit in a word, so four scans suffice. That
each place is written exactly once follows from the sums and not from the indices; the kernel therefore
<em>assumes</em> it, and the host twin checks it in every run."""),
    ("histogram", "Histogram", "u32", "1000000", "1000", pictures.histogram, """
Counts how often each number occurs. The index of a count is read from memory, so the verifier cannot know it. The
condition <code>bin &lt; bins</code> keeps it inside the array, and without this condition <code>finish()</code>
would refuse the kernel. Several threads may count in one bin, which is why the addition is atomic; a plain one
would be refused as a race."""),
    ("scan", "Prefix sums", "f32", "1000000", "1000", pictures_of_data.scan, """
The sum of all elements up to each element, for arrays of any length: a plan of three kernels. The first sums blocks
of 256 elements, with the scan of a subgroup and the sums of the subgroups before it. The second does the same with
the sums of the blocks. The third adds what came before a block to all of its elements."""),
    ("sort", "A sorting network", "f32", "1024x256", "3x201", pictures_of_data.sort, """
Sorts rows of up to 256 numbers with a bitonic network in shared memory. Which numbers are compared does not depend
on the data, so the verifier follows all 36 steps and finds no two threads that touch one number between two
barriers. The loops of the network run while the kernel is described; the shader contains the steps one after the
other. Shorter rows are filled with infinity."""),
    ("convolution", "Convolution", "f32", "1x256x256x16", "1x16x16x3", pictures.convolution, """
A 3x3 convolution of images whose channels are contiguous. A thread computes four channels of one pixel, so that
each element of the image that it loads is used four times. Conditions leave out the taps beyond the edges. Indices
are unsigned, so the description writes <code>maximum(col + j, 1) - 1</code> where others write <code>col + j -
1</code>, and the verifier checks that no index wraps around."""),
    ("depthwise", "Depthwise convolution", "f16", "128x128x64", "4x5x70", pictures.depthwise, """
A 3x3 convolution in which each channel has its own filter and does not see the others, as in networks for phones.
Elements have 16 bits and sums have 32: <code>convert</code> widens each element when it is used, and the copy at
the end rounds the sum once."""),
    ("csr", "A sparse matrix times a vector", "f32", "200000", "100", pictures.csr, """
A matrix in compressed sparse rows. Where a row begins and ends, and which elements of the vector it needs, is read
from memory. The loop of a thread therefore ends where the data say. Conditions keep each index inside its array, so
that a damaged matrix gives a wrong result, and never an access outside."""),
    ("ragged", "Attention to caches of different lengths", "f32", "64x8x64", "3x4x64", pictures_of_data.ragged, """
The step of a language model that produces the next token of several sequences at once: one query for each head, and
as many keys as the sequence has tokens. A workgroup goes through the keys in blocks of 32 and keeps the largest
score and the sums so far, so that no array of scores is needed. The loop contains barriers and ends where the data
say. This is allowed because all threads of a workgroup read the same length, which the verifier checks."""),
]
